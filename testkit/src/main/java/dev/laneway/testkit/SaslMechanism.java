package dev.laneway.testkit;

/** How the clients of an {@link EmbeddedKafka} prove who they are with a name and a password. */
public enum SaslMechanism {
    /** The password itself is sent; without TLS anybody on the network could read it. */
    PLAIN("PLAIN", "org.apache.kafka.common.security.plain.PlainLoginModule"),
    /** A proof of the password is sent, made with SHA-256. */
    SCRAM_SHA_256("SCRAM-SHA-256", "org.apache.kafka.common.security.scram.ScramLoginModule"),
    /** A proof of the password is sent, made with SHA-512. */
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
