package dev.laneway;

/**
 * A key or value could not be deserialised. Goes to the failure policy, which tries it again where the failure may
 * pass, see {@link FailurePolicy}. Immutable.
 */
public final class RecordDeserializationException extends LanewayException {
    private static final long serialVersionUID = 1;

    /** Names the record and the part that could not be read. */
    public RecordDeserializationException(String record, boolean key, Throwable cause) {
        super("the " + (key ? "key" : "value") + " of record " + record + " cannot be deserialised: " + cause, cause);
    }
}
