package dev.laneway.engine.track;

/** Where tracks say that records of theirs are to be read again. Called with a track's guard. Thread-safe. */
public interface RefillQueue {
    /** A lane needs records that stand in the log alone. */
    void wanted(RefillTarget target);

    /** What may be held again. */
    RefillRoom room();
}
