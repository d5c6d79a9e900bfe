package dev.laneway.testkit;

/** The form in which a client of an {@link EmbeddedKafka} is given keys and certificates. */
public enum StoreForm {
    /** Text, in the properties themselves. */
    PEM,
    /** Files with a password, in the form that is usual today. */
    PKCS12,
    /** Files with a password, in Java's own old form. */
    JKS
}
