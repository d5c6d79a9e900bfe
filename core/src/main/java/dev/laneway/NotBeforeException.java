package dev.laneway;

/** The function of a {@link NotBefore} failed for a record, which is not handled for that reason. Immutable. */
public final class NotBeforeException extends LanewayException {
    private static final long serialVersionUID = 1;

    /** Names the record, and why its time was not found. */
    public NotBeforeException(String record, Throwable cause) {
        super("the time of record " + record + " cannot be found: " + cause, cause);
    }
}
