package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.SaslMechanism;
import dev.laneway.testkit.StoreForm;
import dev.laneway.testkit.Tls;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("TLS and logins on a real broker")
class SecurityTest {
    private static final int RECORDS = 200;

    /** Consumes all, a tenth of it into dead letters: the producer connects as the consumer does. */
    private static void assertConsumesAll(EmbeddedKafka kafka, Map<String, String> security) {
        Stage stage = Stage.on(kafka, 2);
        String letters = stage.topic + ".dlq";
        kafka.createTopic(letters, 1);
        stage.load(RECORDS, i -> "key-" + i);
        try (Laneway laneway = stage.consumer(security)
                .onFailure(FailurePolicy.deadLetter(letters))
                .process(record -> {
                    if (Integer.parseInt(record.value()) % 10 == 0) {
                        throw new IllegalStateException("a record for the dead letters");
                    }
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.health().status()).isEqualTo(Health.Status.UP);
        }
        assertThat(stage.read(letters, RECORDS / 10)).hasSize(RECORDS / 10);
    }

    private static Throwable failure(EmbeddedKafka kafka, Map<String, String> security) {
        Stage stage = Stage.on(kafka, 1);
        stage.load(10, i -> "key-" + i);
        Laneway laneway = stage.consumer(security).process(record -> {});
        Throwable failure = catchThrowable(() -> laneway.awaitTermination(LIMIT));
        assertThat(failure).isInstanceOf(BrokerException.class);
        assertThat(failure.getMessage()).doesNotContain("\n", ". ");
        assertThat(laneway.health().reasons().getFirst()).contains(failure.getMessage());
        return failure;
    }

    @Test
    @DisplayName("B50 mutual TLS with stores as PEM, PKCS12 and JKS; who has no certificate is told what to mend")
    void mutualTls() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .tls(Tls.MUTUAL)
                .user("app", "the store's password")
                .start()) {
            for (StoreForm form : StoreForm.values()) {
                assertConsumesAll(kafka, kafka.security().clientProperties("app", form));
            }
            assertThat(failure(kafka, kafka.security().clientProperties()))
                    .hasCauseInstanceOf(SslAuthenticationException.class)
                    .hasMessageContaining("if the brokers ask for a certificate, ssl.keystore");
            assertThat(failure(kafka, Map.of("security.protocol", "SSL")))
                    .hasCauseInstanceOf(SslAuthenticationException.class)
                    .hasMessageContaining("do not trust each other's certificates")
                    .hasMessageContaining("mend ssl.truststore");
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B50 PLAIN over TLS; a wrong password stops the consumer with the reason")
    void plain(String protocol) {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .tls(Tls.SERVER)
                .sasl(SaslMechanism.PLAIN)
                .user("app", "the right password")
                .start()) {
            Map<String, String> right = new HashMap<>(kafka.security().clientProperties("app", StoreForm.JKS));
            right.put("group.protocol", protocol);
            assertConsumesAll(kafka, right);
            Map<String, String> wrong = new HashMap<>(right);
            wrong.computeIfPresent("sasl.jaas.config", (name, login) -> login.replace("right", "wrong"));
            assertThat(failure(kafka, wrong))
                    .hasCauseInstanceOf(SaslAuthenticationException.class)
                    .hasMessageContaining("the broker refused the login")
                    .hasMessageContaining("mend sasl.jaas.config");
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B50 with retryAuthorization a SCRAM password that is set on the brokers later is waited for")
    void scram(String protocol) throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .sasl(SaslMechanism.SCRAM_SHA_256)
                .user("app", "the first password")
                .start()) {
            Map<String, String> client = new HashMap<>(kafka.security().clientProperties("app"));
            client.put("group.protocol", protocol);
            assertConsumesAll(kafka, client);

            setPassword(kafka, "the second password");
            Stage stage = Stage.on(kafka, 1);
            String letters = stage.topic + ".dlq";
            kafka.createTopic(letters, 1);
            stage.load(RECORDS, i -> "key-" + i);
            try (Logs logs = Logs.of(stage.topic);
                    Laneway laneway = stage.consumer(client)
                            .name(stage.topic)
                            .retryAuthorization(Duration.ofMinutes(5))
                            .onFailure(FailurePolicy.deadLetter(letters))
                            .process(record -> {
                                throw new IllegalStateException("a record for the dead letters");
                            })) {
                await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.DEGRADED);
                assertThat(logs.messages()).anyMatch(message -> message.contains("was refused"));
                assertThat(laneway.health().reasons().getFirst()).contains("a poll has not succeeded");
                setPassword(kafka, "the first password");
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
                await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.UP);
            }
            assertThat(stage.read(letters, RECORDS)).hasSize(RECORDS);
        }
    }

    private static void setPassword(EmbeddedKafka kafka, String password)
            throws ExecutionException, InterruptedException {
        kafka.admin()
                .alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                        "app", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), password)))
                .all()
                .get();
    }
}
