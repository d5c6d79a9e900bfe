package dev.laneway;

/**
 * A key or value could not be deserialised. The failure policy tries again if the failure may pass, see
 * {@link FailurePolicy}. Immutable.
 */
public final class RecordDeserializationException extends LanewayException {
    private static final long serialVersionUID = 1;

    /** Names the record, and whether its key or its value could not be read. */
    public RecordDeserializationException(String record, boolean key, Throwable cause) {
        super("the " + (key ? "key" : "value") + " of record " + record + " cannot be deserialised: " + cause, cause);
    }
}
