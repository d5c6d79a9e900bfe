package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
@DisplayName("EmbeddedKafka, secured")
@Execution(ExecutionMode.CONCURRENT) // Each test has a cluster of its own.
class EmbeddedKafkaSecurityTest {

    /** Has all that a login's grammar gives a meaning to. */
    private static final String PASSWORD = "a \"quoted\" \\ pass;word=";

    private static Consumer<byte[], byte[]> consumer(EmbeddedKafka kafka, Map<String, String> security) {
        Map<String, Object> config = new HashMap<>(security);
        config.put("bootstrap.servers", kafka.bootstrapServers());
        config.put("group.id", "g");
        config.put("auto.offset.reset", "earliest");
        config.put("enable.auto.commit", "false");
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static void assertReads(EmbeddedKafka kafka, Map<String, String> security) {
        try (Consumer<byte[], byte[]> consumer = consumer(kafka, security)) {
            consumer.subscribe(List.of("topic"));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> consumer.poll(Duration.ofMillis(100)).count() == 1);
        }
    }

    private static void assertRefused(
            EmbeddedKafka kafka, Map<String, String> security, Class<? extends Throwable> failure) {
        try (Consumer<byte[], byte[]> consumer = consumer(kafka, security)) {
            consumer.subscribe(List.of("topic"));
            assertThatThrownBy(() -> await().atMost(Duration.ofSeconds(30)).until(() -> {
                        consumer.poll(Duration.ofMillis(100));
                        return false;
                    }))
                    .isInstanceOf(failure);
        }
    }

    @Test
    @DisplayName("TLS: clients that trust the authority get in, in every form of store; others do not")
    void tls() {
        Path trust;
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().tls(Tls.SERVER).start()) {
            kafka.createTopic("topic", 1);
            kafka.produce("topic", "k", "v");
            for (StoreForm form : StoreForm.values()) {
                assertReads(kafka, kafka.security().clientProperties(form));
            }
            // This one trusts those that the JDK trusts.
            assertRefused(kafka, Map.of("security.protocol", "SSL"), SslAuthenticationException.class);
            trust = Path.of(kafka.security().clientProperties(StoreForm.JKS).get("ssl.truststore.location"));
            assertThat(trust).exists();
        }
        assertThat(trust.getParent()).doesNotExist();
    }

    @Test
    @DisplayName("mutual TLS: a user is who its certificate says, in every form of store; without one nobody gets in")
    void mutualTls() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .tls(Tls.MUTUAL)
                .user("reader", PASSWORD)
                .user("stranger", "x")
                .acls()
                .start()) {
            kafka.createTopic("topic", 1);
            kafka.produce("topic", "k", "v");
            kafka.security().grant("reader", AclOperation.READ, ResourceType.TOPIC, "topic");
            kafka.security().grant("reader", AclOperation.READ, ResourceType.GROUP, "g");
            for (StoreForm form : StoreForm.values()) {
                assertReads(kafka, kafka.security().clientProperties("reader", form));
            }
            assertRefused(kafka, kafka.security().clientProperties("stranger"), TopicAuthorizationException.class);
            assertRefused(kafka, kafka.security().clientProperties(), SslAuthenticationException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("SASL: the right password gets in, a wrong one does not")
    void sasl(SaslMechanism mechanism) {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .sasl(mechanism)
                .user("user-1.a_b", PASSWORD)
                .start()) {
            kafka.createTopic("topic", 1);
            kafka.produce("topic", "k", "v");
            Map<String, String> right = kafka.security().clientProperties("user-1.a_b");
            assertThat(right).containsEntry("security.protocol", "SASL_PLAINTEXT");
            assertReads(kafka, right);
            Map<String, String> wrong = new HashMap<>(right);
            wrong.put("sasl.jaas.config", right.get("sasl.jaas.config").replace("pass;word", "password"));
            assertRefused(kafka, wrong, SaslAuthenticationException.class);
        }
    }

    @Test
    @DisplayName("rules over TLS and SCRAM, on three nodes: granted is granted and withdrawn is withdrawn at once")
    void rules() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .nodes(3)
                .tls(Tls.SERVER)
                .sasl(SaslMechanism.SCRAM_SHA_512)
                .user("alice", PASSWORD)
                .acls()
                .start()) {
            kafka.createTopic("topic", 3);
            kafka.produce("topic", "k", "v");
            Map<String, String> alice = kafka.security().clientProperties("alice");
            assertThat(alice).containsEntry("security.protocol", "SASL_SSL");
            kafka.security().grant("alice", AclOperation.READ, ResourceType.TOPIC, "*");
            assertRefused(kafka, alice, GroupAuthorizationException.class);
            kafka.security().grant("alice", AclOperation.READ, ResourceType.GROUP, "g");
            assertReads(kafka, alice);
            kafka.security().withdraw("alice", AclOperation.READ, ResourceType.TOPIC, "*");
            assertRefused(kafka, alice, TopicAuthorizationException.class);

            // A node that comes back knows users and rules.
            kafka.kill(1);
            kafka.start(1);
            kafka.awaitReady(Duration.ofSeconds(30));
            kafka.security().grant("alice", AclOperation.READ, ResourceType.TOPIC, "topic");
            assertReads(kafka, alice);
        }
    }

    @Test
    @DisplayName("users and rules of a directory that is kept are there at the next start, with the passwords of now")
    void keptDirectory(@org.junit.jupiter.api.io.TempDir Path directory) {
        EmbeddedKafkaBuilder builder = EmbeddedKafka.builder()
                .directory(directory)
                .sasl(SaslMechanism.SCRAM_SHA_256)
                .acls();
        try (EmbeddedKafka kafka = builder.user("alice", "old").start()) {
            kafka.createTopic("topic", 1);
            kafka.produce("topic", "k", "v");
            kafka.security().grant("alice", AclOperation.READ, ResourceType.TOPIC, "topic");
            kafka.security().grant("alice", AclOperation.READ, ResourceType.GROUP, "g");
        }
        try (EmbeddedKafka kafka = builder.user("alice", "new").start()) {
            assertReads(kafka, kafka.security().clientProperties("alice"));
            Map<String, String> old = new HashMap<>(kafka.security().clientProperties("alice"));
            old.computeIfPresent("sasl.jaas.config", (name, login) -> login.replace("new", "old"));
            assertRefused(kafka, old, AuthenticationException.class);
        }
    }

    static Stream<Arguments> contradictions() {
        return Stream.of(
                Arguments.of(EmbeddedKafka.builder().acls(), "add sasl(...) or tls(MUTUAL)"),
                Arguments.of(EmbeddedKafka.builder().acls().tls(Tls.SERVER), "add sasl(...) or tls(MUTUAL)"),
                Arguments.of(EmbeddedKafka.builder().user("a", "b"), "user(a, ...)"),
                Arguments.of(EmbeddedKafka.builder().sasl(SaslMechanism.PLAIN), "add user(name, password)"),
                Arguments.of(EmbeddedKafka.builder().tls(Tls.MUTUAL), "add user(name, password)"),
                Arguments.of(
                        EmbeddedKafka.builder()
                                .tls(Tls.SERVER)
                                .property("listener.security.protocol.map", "CLIENT:SSL"),
                        "property(listener.security.protocol.map"));
    }

    @ParameterizedTest
    @MethodSource("contradictions")
    @DisplayName("options that contradict one another are refused with the remedy")
    void contradiction(EmbeddedKafkaBuilder builder, String message) {
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    @DisplayName("names and passwords that cannot be used are refused, and no message holds a password")
    void names() {
        for (String name : List.of("", "a b", "a,b", "-a", "CN=a", "a\"")) {
            assertThatThrownBy(() -> EmbeddedKafka.builder().user(name, "secret-word"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("user(" + name + ", ...)")
                    .hasMessageNotContaining("secret-word");
        }
        assertThatThrownBy(() -> EmbeddedKafka.builder().user("a", "")).hasMessageContaining("must not be empty");
        assertThat(new Security(Tls.MUTUAL, null, Map.of("a", "secret-word"), true).toString())
                .contains("a")
                .doesNotContain("secret-word");
        EmbeddedKafka plain = EmbeddedKafka.shared();
        assertThatThrownBy(() -> plain.security().clientProperties("nobody"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("user(nobody, password)");
        assertThatThrownBy(() -> plain.security().grant("nobody", AclOperation.READ, ResourceType.TOPIC, "t"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("acls()");
        assertThat(plain.security().clientProperties()).isEqualTo(Map.of("security.protocol", "PLAINTEXT"));
    }

    @Test
    @DisplayName("no certificate of one cluster is trusted by another")
    void ownAuthority() {
        try (Certificates first = Certificates.make(List.of("a"));
                Certificates second = Certificates.make(new ArrayList<>())) {
            assertThat(first.authorityPem()).isNotEqualTo(second.authorityPem());
            assertThat(first.user("a").chainPem()).contains(first.authorityPem());
            assertThat(first.user("a").toString()).doesNotContain("PRIVATE");
        }
    }
}
