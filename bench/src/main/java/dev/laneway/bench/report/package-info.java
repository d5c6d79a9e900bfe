/**
 * What was measured, kept as rows and shown as tables and pages. Uses scenarios and what is below them; only the verb
 * may call it.
 */
@NullMarked
package dev.laneway.bench.report;

import org.jspecify.annotations.NullMarked;
