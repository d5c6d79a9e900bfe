/**
 * What verbs share that watch a group for a while: what they look at ({@code CheckInputs}), and the run of an
 * autoscaler ({@code AutoscaleSession}), whatever it acts on. Uses package {@code program}.
 */
@NullMarked
package dev.laneway.cli.watch;

import org.jspecify.annotations.NullMarked;
