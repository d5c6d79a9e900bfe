package dev.laneway.ops.observe;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A source could not be read; the message names it, the reason and what to do. */
public final class SourceFailure extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final boolean unreachable;

    /** Something answered, but not with what is needed. */
    public SourceFailure(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    private SourceFailure(String message, @Nullable Throwable cause, boolean unreachable) {
        super(message, cause);
        this.unreachable = unreachable;
    }

    /** Nobody answers. */
    public static SourceFailure unreachable(String message, @Nullable Throwable cause) {
        return new SourceFailure(message, cause, true);
    }

    /** Whether nobody answered. */
    public boolean isUnreachable() {
        return unreachable;
    }
}
