/** What was once wrong, a test each, named for that. */
@NullMarked
package dev.laneway.issues;

import org.jspecify.annotations.NullMarked;
