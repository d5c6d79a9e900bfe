/**
 * The verb that compares scaling policies, with its text, its JSON and its page. Uses the command line's own packages,
 * {@code ops.compare} and the JDK; the page is one file without links to elsewhere.
 */
@NullMarked
package dev.laneway.cli.compare;

import org.jspecify.annotations.NullMarked;
