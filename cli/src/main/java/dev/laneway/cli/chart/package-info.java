/** Charts as SVG. Uses XChart, which nothing else does, and the JDK. */
@NullMarked
package dev.laneway.cli.chart;

import org.jspecify.annotations.NullMarked;
