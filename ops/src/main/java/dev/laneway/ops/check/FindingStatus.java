package dev.laneway.ops.check;

/** What a rule found. */
public enum FindingStatus {
    /** What it looks at is as it should be. */
    OK,
    /** It will break or limit the group, or is a risk. */
    WARN,
    /** It breaks or limits the group now. */
    FAIL,
    /** It cannot be seen; the finding says how it can. */
    UNKNOWN
}
