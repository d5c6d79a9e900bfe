/** Checks of this repository: the format of its sources, its rules, and which behaviours its tests show. */
@NullMarked
package dev.laneway.build;

import org.jspecify.annotations.NullMarked;
