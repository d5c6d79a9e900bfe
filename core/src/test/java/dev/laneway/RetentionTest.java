package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.SaslMechanism;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Retention that comes near to a spilled key")
class RetentionTest {
    private static final int RECORDS = 40_000;
    private static final int BUFFER = 2_000;
    /** Each so many records one is of the key that is stuck. */
    private static final int SHARE = 20;

    private static final int OTHERS = RECORDS - RECORDS / SHARE;
    private static final long AGE_MS = 60_000;
    /** The log is asked for six times as long a time. */
    private static final Duration HEALTH_LIMIT = Duration.ofSeconds(1);

    private Stage stage = Stage.of(1);
    private final Journal journal = new Journal();
    private final CountDownLatch release = new CountDownLatch(1);

    /** A consumer with all done but the stuck key, whose records were written a minute ago. */
    private Laneway stuck() {
        return stuck(Map.of());
    }

    private Laneway stuck(Map<String, String> config) {
        long written = System.currentTimeMillis() - AGE_MS;
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            String key = i % SHARE == 0 ? "stuck" : "key-" + i % 1_999;
            records.add(
                    new ProducerRecord<>(stage.topic, 0, written, Stage.bytes(key), Stage.bytes(Integer.toString(i))));
        }
        stage.kafka.produce(records);
        Laneway laneway = stage.consumer(config)
                .bufferRecords(BUFFER)
                .healthLimit(HEALTH_LIMIT)
                .process(journal.watch(Journal.byKey(), record -> {
                    if (record.offset() == 0) {
                        release.await();
                    }
                }));
        await().atMost(LIMIT).until(() -> journal.size() >= OTHERS);
        return laneway;
    }

    private void set(String name, Object value) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, stage.topic);
        AlterConfigOp set = new AlterConfigOp(new ConfigEntry(name, value.toString()), AlterConfigOp.OpType.SET);
        stage.kafka
                .admin()
                .incrementalAlterConfigs(Map.of(topic, List.of(set)))
                .all()
                .get(30, TimeUnit.SECONDS);
    }

    private long logStart() throws Exception {
        return stage.kafka
                .admin()
                .listOffsets(Map.of(stage.partition(0), OffsetSpec.earliest()))
                .partitionResult(stage.partition(0))
                .get(30, TimeUnit.SECONDS)
                .offset();
    }

    private static void awaitReason(Laneway laneway, Predicate<String> reason) {
        await().atMost(LIMIT).until(() -> laneway.health().reasons().stream().anyMatch(reason));
    }

    private static boolean isWarning(String reason) {
        return reason.contains("records of key hash") && reason.contains("and may be gone before they are read");
    }

    @Test
    @DisplayName("B96 it is told before, with key, offset, age and remedy, and what it has taken is counted after")
    void isTold() throws Exception {
        try (Laneway laneway = stuck()) {
            assertThat(laneway.health().reasons()).isEmpty();
            set("retention.ms", AGE_MS + 20_000);
            awaitReason(laneway, reason -> isWarning(reason) && reason.contains("retention.ms is 80 s, over in"));
            assertThat(logStart()).isZero();
            assertThat(laneway.health().status()).isEqualTo(Health.Status.DEGRADED);
            assertThat(laneway.health().reasons().getFirst())
                    .contains(stage.partition(0).toString(), "key hash b43089fa2e47b3df")
                    .contains("it was written", "lengthen retention.ms", "skipped or dead-lettered");
            assertThat(laneway.health().reasons())
                    .anyMatch(reason -> reason.contains("record " + stage.partition(0) + "@0 is unfinished, and a"));
            set("retention.ms", 1);
            await().atMost(LIMIT).until(() -> logStart() > RECORDS / 2);
            awaitReason(laneway, reason -> isWarning(reason) && reason.contains("the log begins at offset"));
            release.countDown();
            await().atMost(LIMIT).until(() -> laneway.snapshot().counters().lost() > 0);
            awaitReason(laneway, reason -> reason.contains("waited in the log behind a busy key and are gone"));
            await().atMost(LIMIT)
                    .until(() -> laneway.health().reasons().stream().noneMatch(RetentionTest::isWarning));
        }
    }

    @Test
    @DisplayName("B96 the warning ends when retention.ms is long enough, and nothing is lost")
    void ends() throws Exception {
        try (Laneway laneway = stuck()) {
            set("retention.ms", AGE_MS + 20_000);
            awaitReason(laneway, RetentionTest::isWarning);
            set("retention.ms", 100 * AGE_MS);
            await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
            release.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().lost()).isZero();
        }
        assertThat(journal.size()).isEqualTo(RECORDS);
        assertThat(journal.violations()).isEmpty();
    }

    @Test
    @DisplayName("B96 without the right DESCRIBE_CONFIGS the log's start tells it, and the log says so once")
    void refused() throws Exception {
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        EngineLog.listen(logged);
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .sasl(SaslMechanism.SCRAM_SHA_512)
                .user("app", "the password of app")
                .acls()
                .start()) {
            stage = Stage.on(kafka, 1);
            kafka.security().grant("app", AclOperation.READ, ResourceType.TOPIC, stage.topic);
            kafka.security().grant("app", AclOperation.READ, ResourceType.GROUP, stage.group);
            try (Laneway laneway = stuck(kafka.security().clientProperties("app"))) {
                await().atMost(LIMIT).until(() -> timesRefused(logged) == 1);
                kafka.admin()
                        .deleteRecords(Map.of(stage.partition(0), RecordsToDelete.beforeOffset(RECORDS / 2)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
                awaitReason(laneway, reason -> isWarning(reason) && reason.contains("the log begins at offset"));
                release.countDown();
            }
        } finally {
            EngineLog.leave(logged);
        }
        assertThat(timesRefused(logged)).isEqualTo(1);
    }

    private static long timesRefused(ListAppender<ILoggingEvent> logged) {
        return List.copyOf(logged.list).stream()
                .filter(event -> event.getLevel() == Level.INFO
                        && event.getFormattedMessage().contains("may not DESCRIBE_CONFIGS of it"))
                .count();
    }

    @Test
    @DisplayName("B96 in a compacted topic it is told as long as a key is spilled")
    void compacted() throws Exception {
        set("cleanup.policy", "compact");
        try (Laneway laneway = stuck()) {
            awaitReason(laneway, reason -> isWarning(reason) && reason.contains("the topic is compacted"));
            release.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
        }
        assertThat(journal.size()).isEqualTo(RECORDS);
    }
}
