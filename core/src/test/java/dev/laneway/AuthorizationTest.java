package dev.laneway;

import static dev.laneway.HealthFaultsTest.expect;
import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.SaslMechanism;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("Rights on a real broker that grants them one by one")
class AuthorizationTest {
    private static final int RECORDS = 60;
    private static EmbeddedKafka kafka;

    /** The rights that a consumer needs and may lack. */
    enum Right {
        GROUP,
        TOPIC,
        /** Offsets may be read but not committed. In a group with an assignment that shows too late. */
        COMMIT_ASYNC,
        COMMIT_SYNC,
        COMMIT_AHEAD,
        /** Not even that. */
        OFFSETS,
        DEAD_LETTER,
        EMIT;

        boolean assigned() {
            return name().startsWith("COMMIT") || this == OFFSETS;
        }

        /** Where it makes a difference to the client which protocol the group follows. */
        Stream<String> protocols() {
            return this == GROUP || this == TOPIC || this == COMMIT_ASYNC
                    ? Stream.of("classic", "consumer")
                    : Stream.of("classic");
        }

        boolean sends() {
            return this == DEAD_LETTER || this == EMIT;
        }

        void grant(Stage stage) {
            switch (this) {
                case GROUP, COMMIT_ASYNC, COMMIT_SYNC, COMMIT_AHEAD, OFFSETS ->
                    kafka.security().grant("app", AclOperation.READ, ResourceType.GROUP, stage.group);
                case TOPIC -> kafka.security().grant("app", AclOperation.READ, ResourceType.TOPIC, stage.topic);
                case DEAD_LETTER, EMIT ->
                    kafka.security().grant("app", AclOperation.WRITE, ResourceType.TOPIC, output(stage));
            }
        }

        /** All but this. */
        void grantOthers(Stage stage) {
            if (this != TOPIC) {
                TOPIC.grant(stage);
            }
            if (this == TOPIC || sends()) {
                GROUP.grant(stage);
            } else if (assigned() && this != OFFSETS) {
                kafka.security().grant("app", AclOperation.DESCRIBE, ResourceType.GROUP, stage.group);
            }
        }

        String sentence(Stage stage) {
            return switch (this) {
                case GROUP, COMMIT_ASYNC, COMMIT_SYNC, COMMIT_AHEAD, OFFSETS ->
                    "the user may not READ group " + stage.group + ": grant it, or set retryAuthorization";
                case TOPIC -> "the user may not READ topic " + stage.topic + ": grant it, or set retryAuthorization";
                case DEAD_LETTER -> "its dead letter cannot be sent: the user may not WRITE topic " + output(stage);
                case EMIT -> "what it emits cannot be sent: the user may not WRITE topic " + output(stage);
            };
        }
    }

    private static String output(Stage stage) {
        return stage.topic + ".out";
    }

    @BeforeAll
    static void start() {
        kafka = EmbeddedKafka.builder()
                .sasl(SaslMechanism.SCRAM_SHA_512)
                .user("app", "the password of app")
                .user("reader", "the password of reader")
                .acls()
                .start();
        // Without any right to write the producer gets no id, which is another error.
        kafka.security().grant("app", AclOperation.WRITE, ResourceType.TOPIC, "elsewhere");
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    private static Stage stage(Right missing) {
        Stage stage = Stage.on(kafka, 2);
        kafka.createTopic(output(stage), 1);
        missing.grantOthers(stage);
        stage.load(RECORDS, i -> "key-" + i % 7);
        return stage;
    }

    private static Laneway start(
            Stage stage, Right tried, Map<String, String> config, Duration retryAuthorization, Journal journal) {
        LanewayBuilder<String, String> builder = Laneway.consumer(stage.config(config))
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .name(stage.topic)
                .closeOnShutdown(false)
                .retryAuthorization(retryAuthorization)
                .commit(
                        switch (tried) {
                            case COMMIT_SYNC -> CommitMode.sync(millis(50));
                            case COMMIT_AHEAD -> CommitMode.ahead();
                            default -> CommitMode.async(millis(50));
                        })
                .onFailure(tried == Right.DEAD_LETTER ? FailurePolicy.deadLetter(output(stage)) : FailurePolicy.stop());
        if (tried.assigned()) {
            builder.assign(List.of(stage.partition(0), stage.partition(1)));
        } else {
            builder.subscribe(stage.topic);
        }
        return builder.process((record, context) -> {
            if (tried == Right.DEAD_LETTER && isTenth(record.value())) {
                throw new IllegalStateException("a record for the dead letters");
            }
            journal.add(record);
            return tried == Right.EMIT && isTenth(record.value())
                    ? Outcome.emit(
                            List.of(new ProducerRecord<>(output(stage), Stage.bytes("k"), Stage.bytes(record.value()))))
                    : Outcome.done();
        });
    }

    private static boolean isTenth(String value) {
        return Integer.parseInt(value) % 10 == 3;
    }

    private static Map<String, String> app(String protocol) {
        Map<String, String> config = new java.util.HashMap<>(kafka.security().clientProperties("app"));
        config.put("group.protocol", protocol);
        return config;
    }

    static Stream<Arguments> rights() {
        return Stream.of(Right.values())
                .flatMap(right -> right.protocols().map(protocol -> Arguments.of(right, protocol)));
    }

    @ParameterizedTest(name = "{displayName}: {0}, {1}")
    @MethodSource("rights")
    @DisplayName("B50 a missing right stops the consumer with a sentence that names it; granted, nothing is lost")
    void stops(Right missing, String protocol) {
        Stage stage = stage(missing);
        Journal journal = new Journal();
        Laneway laneway = start(stage, missing, app(protocol), Duration.ZERO, journal);
        Throwable failure = catchThrowable(() -> laneway.awaitTermination(LIMIT));
        assertThat(failure)
                .isInstanceOf(missing.sends() ? RecordFailedException.class : BrokerException.class)
                .hasMessageContaining(missing.sentence(stage));
        assertThat(failure.getMessage()).doesNotContain("\n", ". ");
        assertThat(laneway.state()).isEqualTo(State.FAILED);
        assertThat(laneway.failure()).containsSame(failure);
        assertThat(laneway.health().status()).isEqualTo(Health.Status.DOWN);
        assertThat(laneway.health().reasons().getFirst()).contains(missing.sentence(stage));

        missing.grant(stage);
        try (Laneway _ = start(stage, missing, app(protocol), Duration.ZERO, journal)) {
            assertAllIsDone(stage, missing, journal);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}, {1}")
    @MethodSource("rights")
    @DisplayName("B50 with retryAuthorization a right that is granted later is waited for, and nothing is lost")
    void retries(Right missing, String protocol) {
        Stage stage = stage(missing);
        Journal journal = new Journal();
        try (Logs logs = Logs.of(stage.topic);
                Laneway laneway = start(stage, missing, app(protocol), Duration.ofMinutes(5), journal)) {
            await().atMost(LIMIT)
                    .until(() -> logs.messages().stream()
                            .anyMatch(message -> message.contains("refused") || message.contains("sending for")));
            assertThat(laneway.state()).isIn(State.STARTING, State.RUNNING);
            missing.grant(stage);
            assertAllIsDone(stage, missing, journal);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("B50 B114 health names the right that a commit lacks, also while it is waited for")
    void commitRefused(boolean waited) throws IOException {
        Stage stage = stage(Right.COMMIT_ASYNC);
        Duration limit = waited ? Duration.ofMinutes(5) : Duration.ZERO;
        try (Laneway laneway = start(stage, Right.COMMIT_ASYNC, app("classic"), limit, new Journal())) {
            expect(
                    "a commit that is refused for a missing right" + (waited ? ", with retryAuthorization" : ""),
                    laneway::health,
                    waited ? Health.Status.DEGRADED : Health.Status.DOWN,
                    waited ? "may not READ group" : "a member has failed");
        }
    }

    private static void assertAllIsDone(Stage stage, Right tried, Journal journal) {
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        Set<String> letters = tried == Right.DEAD_LETTER ? sent(stage) : Set.of();
        // What is committed ahead is handled afterwards.
        await().atMost(LIMIT).untilAsserted(() -> {
            Set<String> handled = new TreeSet<>(journal.values());
            handled.addAll(letters);
            assertThat(handled).isEqualTo(all(RECORDS));
        });
        if (tried == Right.EMIT) {
            assertThat(sent(stage)).hasSize(RECORDS / 10);
        }
    }

    private static Set<String> sent(Stage stage) {
        return stage.read(output(stage), RECORDS / 10).stream()
                .map(record -> Stage.text(record.value()))
                .collect(Collectors.toSet());
    }

    private static Set<String> all(int records) {
        return IntStream.range(0, records).mapToObj(Integer::toString).collect(Collectors.toCollection(TreeSet::new));
    }

    static Stream<Arguments> limits() {
        return rights().filter(
                        arguments -> Set.of(Right.GROUP, Right.TOPIC, Right.COMMIT_ASYNC, Right.OFFSETS, Right.EMIT)
                                .contains(arguments.get()[0]));
    }

    @ParameterizedTest(name = "{displayName}: {0}, {1}")
    @MethodSource("limits")
    @DisplayName("B50 a right that is not granted within retryAuthorization stops the consumer then, not before")
    void givesUp(Right missing, String protocol) {
        Stage stage = stage(missing);
        Journal journal = new Journal();
        long since = System.nanoTime();
        Laneway laneway = start(stage, missing, app(protocol), Duration.ofSeconds(2), journal);
        Throwable failure = catchThrowable(() -> laneway.awaitTermination(LIMIT));
        assertThat(failure).hasMessageContaining(missing.sentence(stage));
        assertThat(Duration.ofNanos(System.nanoTime() - since))
                .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(15));
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @org.junit.jupiter.params.provider.ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B50 a right that is withdrawn from one of two topics while both are read stops the consumer")
    void withdrawn(String protocol) {
        Stage good = stage(Right.DEAD_LETTER);
        Stage bad = stage(Right.DEAD_LETTER);
        Journal journal = new Journal();
        try (Laneway laneway = Laneway.consumer(good.config(app(protocol)))
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(good.topic, bad.topic)
                .retryAuthorization(Duration.ofSeconds(2))
                .closeOnShutdown(false)
                .process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> journal.size() == 2 * RECORDS);
            kafka.security().withdraw("app", AclOperation.READ, ResourceType.TOPIC, bad.topic);
            bad.load(RECORDS, RECORDS, i -> "key-" + i);
            // Records of the other topic keep coming, and polls keep succeeding in between.
            int[] loaded = {RECORDS};
            await().atMost(LIMIT).pollInterval(millis(100)).until(() -> {
                good.load(loaded[0]++, 1, i -> "key-" + i);
                return laneway.state() == State.FAILED;
            });
            assertThat(laneway.failure().orElseThrow()).hasMessageContaining("may not READ topic " + bad.topic);
        }
        Right.TOPIC.grant(bad);
        Journal second = new Journal();
        try (Laneway _ = Laneway.consumer(good.config(app(protocol)))
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(bad.topic)
                .closeOnShutdown(false)
                .process(second.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> new TreeSet<>(second.values()).size() >= RECORDS);
        }
    }

    @Test
    @DisplayName("B50 B57 a last commit that is refused is a failure of the consumer, not a close in peace")
    void lastCommitRefused() {
        Stage stage = stage(Right.COMMIT_ASYNC);
        Journal journal = new Journal();
        Laneway laneway = Laneway.consumer(stage.config(app("classic")))
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .assign(List.of(stage.partition(0), stage.partition(1)))
                .closeOnShutdown(false)
                .commit(CommitMode.async(Duration.ofHours(1)))
                .process(journal.note(record -> {}));
        await().atMost(LIMIT).until(() -> journal.size() == RECORDS);
        laneway.close();
        assertThat(laneway.state()).isEqualTo(State.FAILED);
        assertThat(laneway.failure().orElseThrow()).hasMessageContaining(Right.COMMIT_ASYNC.sentence(stage));
    }

    @Test
    @DisplayName("B50 a user who may write no topic at all gets no id for its producer: told, and waited for")
    void noRightToWriteAtAll() {
        Stage stage = stage(Right.GROUP);
        kafka.security().grant("reader", AclOperation.READ, ResourceType.TOPIC, stage.topic);
        kafka.security().grant("reader", AclOperation.READ, ResourceType.GROUP, stage.group);
        // It sees the topic, or that would be refused first.
        kafka.security().grant("reader", AclOperation.DESCRIBE, ResourceType.TOPIC, output(stage));
        Map<String, String> reader = kafka.security().clientProperties("reader");
        Journal journal = new Journal();
        Laneway laneway = start(stage, Right.DEAD_LETTER, reader, Duration.ZERO, journal);
        assertThat(catchThrowable(() -> laneway.awaitTermination(LIMIT)))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining("its dead letter cannot be sent: the user may WRITE no topic at all");
        try (Logs logs = Logs.of(stage.topic);
                Laneway again = start(stage, Right.DEAD_LETTER, reader, Duration.ofMinutes(5), journal)) {
            await().atMost(LIMIT)
                    .until(() -> logs.messages().stream().anyMatch(message -> message.contains("sending for")));
            kafka.security().grant("reader", AclOperation.WRITE, ResourceType.TOPIC, output(stage));
            assertAllIsDone(stage, Right.DEAD_LETTER, journal);
            assertThat(again.state()).isEqualTo(State.RUNNING);
        }
    }
}
