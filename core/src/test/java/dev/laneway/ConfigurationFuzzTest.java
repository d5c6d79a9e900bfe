package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Configurations that are nearly right: each starts, or is refused with option, value, rule and remedy. Without a
 * broker, a started consumer waits until it is closed. Each build makes the same tries, so that a failure is caused by
 * a change; without the seed each run makes others.
 */
class ConfigurationFuzzTest {
    private static final String SECRET = "hunter2-0451";
    private static final Pattern TOLD = Pattern.compile("(?s)\\S.* (is|are) .* but .*: .+");
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final List<Object> VALUES = Arrays.asList(
            "",
            " ",
            "0",
            "-1",
            "1",
            "2147483648",
            "9223372036854775807",
            "1.5",
            "1e3",
            "NaN",
            "true",
            "false",
            "yes",
            "none",
            "earliest",
            "consumer",
            "classic",
            "read_committed",
            "all",
            "\u00e4\ud83d\ude00",
            "\ud800",
            "x".repeat(5_000),
            "a,b,,c",
            ",",
            "127.0.0.1:1",
            "nowhere:0",
            ":1",
            "java.lang.String",
            "no.such.Class",
            0,
            -1,
            1,
            Integer.MAX_VALUE,
            Integer.MIN_VALUE,
            Long.MAX_VALUE,
            0.5,
            true,
            false,
            List.of(),
            List.of("a", "b"),
            Map.of("a", 1),
            new Object(),
            String.class,
            int[].class,
            'c',
            Duration.ofSeconds(1),
            null);

    private static final List<Duration> TIMES = List.of(
            Duration.ZERO,
            Duration.ofNanos(1),
            Duration.ofNanos(-1),
            Duration.ofMillis(1),
            Duration.ofSeconds(10),
            Duration.ofDays(100),
            Duration.ofDays(40_000),
            Duration.ofDays(200_000),
            Duration.ofSeconds(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE));

    private static final List<Integer> NUMBERS =
            List.of(0, 1, 2, 3, 100, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1_000_000);

    /** What a description is given, in words for the report. */
    private record Step(String words, Consumer<LanewayBuilder<byte[], byte[]>> action) {}

    @Property(tries = 300, seed = "1")
    @Label("B52 any configuration starts, or is refused with option, value, rule and remedy; no secret is shown")
    void startsOrTells(@ForAll("seeds") long seed) {
        Random random = new Random(seed);
        Map<String, Object> config = config(random, ConsumerConfig.configNames());
        List<Step> steps = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            steps.add(step(random));
        }
        check(config, steps);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT) // It mostly waits.
    @DisplayName("B52 each property of Kafka's with each value starts and ends, or is refused and told")
    Stream<DynamicTest> alone() {
        Stream<DynamicTest> consumers = ConsumerConfig.configNames().stream()
                .sorted()
                .map(name -> DynamicTest.dynamicTest(
                        name, () -> VALUES.forEach(value -> check(Collections.singletonMap(name, value), List.of()))));
        Stream<DynamicTest> producers = ProducerConfig.configNames().stream()
                .sorted()
                .map(name -> DynamicTest.dynamicTest(
                        "producer " + name,
                        () -> VALUES.forEach(
                                value -> check(Map.of(), List.of(producer(Collections.singletonMap(name, value)))))));
        return Stream.concat(consumers, producers);
    }

    private static void check(Map<String, Object> properties, List<Step> steps) {
        Map<String, Object> config = new HashMap<>(properties);
        config.putIfAbsent("bootstrap.servers", "127.0.0.1:1");
        config.putIfAbsent("group.id", "g");
        String said = config + " " + steps.stream().map(Step::words).toList();
        assertTimeoutPreemptively(
                LIMIT,
                () -> {
                    try {
                        Laneway laneway = start(config, steps);
                        laneway.close();
                        // A missing broker is no failure of the configuration.
                        assertThat(laneway.failure().filter(failure -> !(failure instanceof BrokerException)))
                                .as(said)
                                .isEmpty();
                    } catch (ConfigurationException refused) {
                        assertThat(refused.getMessage()).as(said).matches(TOLD).doesNotContain(SECRET);
                        assertThat(refused.option()).as(said).isNotBlank();
                    }
                },
                said);
    }

    private static Laneway start(Map<String, Object> config, List<Step> steps) {
        LanewayBuilder<byte[], byte[]> builder = Laneway.consumer(config)
                .subscribe("topic")
                .closeOnShutdown(false)
                .closeLimit(Duration.ZERO)
                .brokerLimit(Duration.ofMillis(200));
        steps.forEach(step -> step.action().accept(builder));
        return builder.process(record -> {});
    }

    private static Map<String, Object> config(Random random, Set<String> names) {
        List<String> known = new ArrayList<>(new TreeSet<>(names));
        Map<String, Object> config = new HashMap<>();
        config.put("ssl.key.password", SECRET);
        for (int i = random.nextInt(4); i > 0; i--) {
            String name = any(random, known);
            config.put(random.nextInt(6) == 0 ? slip(random, name) : name, any(random, VALUES));
        }
        if (random.nextInt(20) == 0) {
            config.put("sasl.jaas.config", "a.b.Module required password=\"" + SECRET + "\";");
            config.put("security.protocol", "SASL_PLAINTEXT");
        }
        return config;
    }

    private static String slip(Random random, String name) {
        int at = random.nextInt(name.length());
        return switch (random.nextInt(3)) {
            case 0 -> name.substring(0, at) + name.substring(at + 1);
            case 1 -> name.substring(0, at) + 'x' + name.substring(at);
            default -> name + "." + name;
        };
    }

    private static Step step(Random random) {
        Duration time = any(random, TIMES);
        int number = any(random, NUMBERS);
        int few = Math.min(number, 3); // Each member has a client and threads of its own.
        return switch (random.nextInt(18)) {
            case 0 -> new Step("concurrency " + number, builder -> builder.concurrency(number));
            case 1 -> new Step("consumers " + few, builder -> builder.consumers(few));
            case 2 -> new Step("bufferRecords " + number, builder -> builder.bufferRecords(number));
            case 3 -> new Step("bufferBytes " + number, builder -> builder.bufferBytes(number));
            case 4 -> new Step("attemptLimit " + time, builder -> builder.attemptLimit(time));
            case 5 -> new Step("drainLimit " + time, builder -> builder.drainLimit(time));
            case 6 -> new Step("stallLimit " + time, builder -> builder.stallLimit(time));
            case 7 -> new Step("name " + number, builder -> builder.name(number < 2 ? " " : "n" + number));
            case 8 -> new Step("retryAuthorization " + time, builder -> builder.retryAuthorization(time));
            case 9 -> new Step("async " + time, builder -> builder.commit(CommitMode.async(time)));
            case 10 -> new Step("sync " + time, builder -> builder.commit(CommitMode.sync(time)));
            case 11 -> new Step("ahead", builder -> builder.commit(CommitMode.ahead()));
            case 12 -> new Step("cpuBound " + few, builder -> builder.workers(Workers.cpuBound(few)));
            case 13 ->
                new Step(
                        "retry " + time + " " + number,
                        builder -> builder.onFailure(FailurePolicy.retry(Backoff.fixed(time), number)
                                .thenDeadLetter(number > 2 ? "letters" : " ")));
            case 14 ->
                new Step(
                        "exponential " + time,
                        builder -> builder.onFailure(FailurePolicy.retry(
                                Backoff.exponential(Duration.ofMillis(1), time).withJitter(number / 100.0))));
            case 15 ->
                new Step(
                        "startAt " + number,
                        builder -> builder.startAt(
                                number > 1
                                        ? StartPosition.timestamp(Instant.ofEpochSecond(number))
                                        : StartPosition.offsets(
                                                Map.of(new TopicPartition("topic", 0), (long) number))));
            case 16 -> producer(config(random, ProducerConfig.configNames()));
            default ->
                new Step(
                        "assign " + few,
                        builder -> builder.assign(List.of(new TopicPartition("topic", Math.max(0, few)))));
        };
    }

    private static Step producer(Map<String, Object> properties) {
        return new Step(
                "producer " + properties,
                builder ->
                        builder.onFailure(FailurePolicy.deadLetter("letters")).producer(properties));
    }

    private static <T> T any(Random random, List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    @Provide
    Arbitrary<Long> seeds() {
        return Arbitraries.longs();
    }
}
