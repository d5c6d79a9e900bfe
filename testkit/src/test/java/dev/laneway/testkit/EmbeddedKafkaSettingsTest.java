package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What tests ask of a broker beyond the plain one: authentication, authorisation, retention, compaction. */
@Timeout(120)
@DisplayName("EmbeddedKafka, its settings")
class EmbeddedKafkaSettingsTest {

    private static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required ";

    @Test
    @DisplayName("clients must authenticate when the listener says so, and the cluster's own do")
    void authentication() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .property("listener.security.protocol.map", "CLIENT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT")
                .property("sasl.enabled.mechanisms", "PLAIN")
                .property("sasl.mechanism.inter.broker.protocol", "PLAIN")
                .property(
                        "listener.name.client.plain.sasl.jaas.config",
                        PLAIN + "username=broker password=b user_broker=b user_tester=t;")
                .clientProperty("security.protocol", "SASL_PLAINTEXT")
                .clientProperty("sasl.mechanism", "PLAIN")
                .clientProperty("sasl.jaas.config", PLAIN + "username=tester password=t;")
                .start()) {
            kafka.createTopic("guarded", 1);
            assertThat(kafka.produce("guarded", null, "v").offset()).isZero();

            try (Consumer<byte[], byte[]> stranger = kafka.consumer(
                    Map.of("group.id", "g", "sasl.jaas.config", PLAIN + "username=tester password=wrong;"))) {
                stranger.subscribe(List.of("guarded"));
                assertThatThrownBy(() -> pollUntilFailure(stranger)).isInstanceOf(SaslAuthenticationException.class);
            }
        }
    }

    @Test
    @DisplayName("an access rule that denies reading is enforced")
    void authorisation() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("allow.everyone.if.no.acl.found", "true")
                .start()) {
            kafka.createTopic("denied", 1);
            var everyone = new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.READ, AclPermissionType.DENY);
            var topic = new ResourcePattern(ResourceType.TOPIC, "denied", PatternType.LITERAL);
            Await.get(
                    "denying",
                    kafka.admin()
                            .createAcls(List.of(new AclBinding(topic, everyone)))
                            .all());

            try (Consumer<byte[], byte[]> consumer = kafka.consumer("g")) {
                consumer.assign(List.of(new TopicPartition("denied", 0)));
                assertThatThrownBy(() -> pollUntilFailure(consumer)).isInstanceOf(TopicAuthorizationException.class);
            }
        }
    }

    @Test
    @DisplayName("retention and compaction work within seconds")
    void retentionAndCompaction() {
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        Map<String, String> smallSegments = Map.of("segment.ms", "200", "file.delete.delay.ms", "0");
        kafka.createTopic("short-lived", 1, 1, with(smallSegments, Map.of("retention.ms", "200")));
        kafka.createTopic(
                "compacted",
                1,
                1,
                with(smallSegments, Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0.01")));
        kafka.produce("short-lived", "k", "old");
        kafka.produce("compacted", "k", "old");
        kafka.produce("compacted", "k", "new");

        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(250))
                .until(() -> {
                    // Only a new record rolls a segment that is old enough to be cleaned.
                    kafka.produce("short-lived", "k", "new");
                    kafka.produce("compacted", "other", "roll");
                    return startOffset(kafka, "short-lived") > 0 && firstOffset(kafka, "compacted") > 0;
                });
    }

    @Test
    @DisplayName("a record's timestamp may be of any time: only a topic's own retention.ms makes it too old")
    void oldTimestamps() {
        EmbeddedKafka kafka = EmbeddedKafka.shared();
        kafka.createTopic("of-1970", 1);
        kafka.createTopic("of-1970-short-lived", 1, 1, Map.of("retention.ms", "200"));
        kafka.produce(List.of(new ProducerRecord<>("of-1970", 0, 1_234L, null, new byte[1])));
        // Twice: the second look at the short-lived topic comes after a first look at the other.
        for (int gone = 1; gone <= 2; gone++) {
            kafka.produce(List.of(new ProducerRecord<>("of-1970-short-lived", 0, 1_234L, null, new byte[1])));
            int all = gone;
            await().atMost(Duration.ofSeconds(60)).until(() -> startOffset(kafka, "of-1970-short-lived") == all);
        }
        assertThat(startOffset(kafka, "of-1970")).isZero();
    }

    private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
        var all = new HashMap<>(some);
        all.putAll(more);
        return all;
    }

    private static long startOffset(EmbeddedKafka kafka, String topic) {
        TopicPartition partition = new TopicPartition(topic, 0);
        return Await.get(
                        "start",
                        kafka.admin()
                                .listOffsets(Map.of(partition, OffsetSpec.earliest()))
                                .all())
                .get(partition)
                .offset();
    }

    private static long firstOffset(EmbeddedKafka kafka, String topic) {
        try (Consumer<byte[], byte[]> consumer = kafka.consumer(Map.of())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            var records = consumer.poll(Duration.ofSeconds(5)).records(partition);
            return records.isEmpty() ? -1 : records.getFirst().offset();
        }
    }

    private static void pollUntilFailure(Consumer<byte[], byte[]> consumer) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            consumer.poll(Duration.ofMillis(100));
            return false;
        });
    }
}
