package dev.laneway.testkit;

/** The form in which a client of an {@link EmbeddedKafka} gets keys and certificates. Immutable. */
public enum StoreForm {
    /** Text, in the properties themselves. */
    PEM,
    /** Files with a password, in the usual format. */
    PKCS12,
    /** Files with a password, in Java's older format. */
    JKS
}
