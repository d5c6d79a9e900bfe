package dev.laneway.testkit;

/** How the clients of an {@link EmbeddedKafka} log in with a name and a password. Immutable. */
public enum SaslMechanism {
    /** Sends the password itself, which is readable on the network without TLS. */
    PLAIN("PLAIN", "org.apache.kafka.common.security.plain.PlainLoginModule"),
    /** Sends a proof of the password, made with SHA-256. */
    SCRAM_SHA_256("SCRAM-SHA-256", "org.apache.kafka.common.security.scram.ScramLoginModule"),
    /** Sends a proof of the password, made with SHA-512. */
    SCRAM_SHA_512("SCRAM-SHA-512", "org.apache.kafka.common.security.scram.ScramLoginModule");

    private final String kafkaName;
    private final String loginModule;

    SaslMechanism(String kafkaName, String loginModule) {
        this.kafkaName = kafkaName;
        this.loginModule = loginModule;
    }

    /** The name that {@code sasl.mechanism} takes. */
    public String kafkaName() {
        return kafkaName;
    }

    String loginModule() {
        return loginModule;
    }

    boolean isScram() {
        return this != PLAIN;
    }
}
