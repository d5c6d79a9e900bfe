/**
 * Runs a scaling policy: measures a group, decides by package {@code scale}, writes the decision log, and lets an actor
 * do what was decided. {@code ScalingLoop} is one turn of that, {@code WatchMeter} what it measures with,
 * {@code LocalMembers} the actor that has processes of this machine; other modules have others.
 *
 * <p>Uses packages {@code scale}, {@code check} and {@code observe}. What acts on a group lives here or implements
 * {@code ScalingActor}; nothing of package {@code scale} does.
 */
@NullMarked
package dev.laneway.ops.control;

import org.jspecify.annotations.NullMarked;
