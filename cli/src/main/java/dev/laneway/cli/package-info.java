/** The command line: every verb of the launcher. */
@NullMarked
package dev.laneway.cli;

import org.jspecify.annotations.NullMarked;
