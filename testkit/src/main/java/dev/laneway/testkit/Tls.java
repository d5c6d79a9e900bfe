package dev.laneway.testkit;

/** How the clients of an {@link EmbeddedKafka} use TLS. */
public enum Tls {
    /** The brokers show a certificate; clients check it and show none. */
    SERVER,
    /** Clients show one too. Each {@linkplain EmbeddedKafkaBuilder#user user} gets its own, which is who it is. */
    MUTUAL
}
