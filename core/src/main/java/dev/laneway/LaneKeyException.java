package dev.laneway;

/** The extractor of a {@link LaneKey} failed for a record, which is not handled for that reason. Immutable. */
public final class LaneKeyException extends LanewayException {
    private static final long serialVersionUID = 1;

    /** Names the record, and why its lane key was not found. */
    public LaneKeyException(String record, Throwable cause) {
        super("the lane key of record " + record + " cannot be found: " + cause, cause);
    }
}
