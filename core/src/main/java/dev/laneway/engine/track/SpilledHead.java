package dev.laneway.engine.track;

/**
 * The record that a lane waits with for long, where that stands in the log alone: the lane keeps where it is, and its
 * key. Guarded by the track's guard.
 */
abstract class SpilledHead {
    /** The lane has waited long enough. */
    abstract void isDue();
}
