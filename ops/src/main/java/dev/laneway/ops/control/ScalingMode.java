package dev.laneway.ops.control;

import java.util.Locale;

/** What becomes of a decision. */
public enum ScalingMode {
    /** It is written down. The next decision assumes that nobody follows it. */
    OBSERVE,
    /** It is written down, for people who follow it. The next decisions wait for the members that it asks for. */
    RECOMMEND,
    /** An actor does it. */
    ACT;

    /** As a decision log and a command line have it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
