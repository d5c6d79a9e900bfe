package dev.laneway.ops.check;

/** How sure a finding is. */
public enum Confidence {
    /** Little was seen, or it can have another cause. */
    LOW,
    /** The usual cause of what was seen. */
    MEDIUM,
    /** It was seen itself. */
    HIGH
}
