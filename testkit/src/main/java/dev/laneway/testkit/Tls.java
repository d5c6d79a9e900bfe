package dev.laneway.testkit;

/** How the clients of an {@link EmbeddedKafka} use TLS. Immutable. */
public enum Tls {
    /** The brokers have a certificate, which clients check; clients have none. */
    SERVER,
    /** Clients have one too: each {@linkplain EmbeddedKafkaBuilder#user user} gets its own, which identifies it. */
    MUTUAL
}
