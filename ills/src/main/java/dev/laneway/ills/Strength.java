package dev.laneway.ills;

/** How ill a group is. */
public enum Strength {
    /** Ill, and no more than must be noticed. */
    MILD,
    /** As ill as it gets. */
    SEVERE,
    /** The same set-up without the fault, or with so little of it that nobody should act. */
    HEALTHY;

    /** One of three values. */
    <T> T pick(T mild, T severe, T healthy) {
        return switch (this) {
            case MILD -> mild;
            case SEVERE -> severe;
            case HEALTHY -> healthy;
        };
    }
}
