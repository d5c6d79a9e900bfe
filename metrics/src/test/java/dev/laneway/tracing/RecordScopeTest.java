package dev.laneway.tracing;

import static dev.laneway.tracing.TracedTopic.LIMIT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Backoff;
import dev.laneway.BatchOutcome;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.Outcome;
import dev.laneway.engine.offsets.KeyHash;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** What handlers are told of their record, on a real broker. */
class RecordScopeTest {
    private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Map<String, String>> mdc = new ConcurrentLinkedQueue<>();

    private void look() {
        seen.add(RecordScope.current().map(RecordScope::toString).orElse("none"));
        Map<String, String> map = MDC.getCopyOfContextMap();
        mdc.add(map == null ? Map.of() : map);
    }

    @Test
    @DisplayName("B172 a handler has its record's place, attempt and key hash; the MDC only where it is turned on")
    void bound() {
        TracedTopic topic = TracedTopic.of(2);
        try (Laneway _ = topic.consumer()
                .observer(RecordScope.bound())
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(10)), 2))
                .process((record, context) -> {
                    look();
                    if (record.offset() == 1 && context.attempt() == 1) {
                        throw new IllegalStateException("no stock");
                    }
                    return Outcome.done();
                })) {
            topic.awaitDone();
        }
        String hash = KeyHash.text(KeyHash.of("key-1".getBytes(UTF_8)));
        assertThat(seen)
                .hasSize(3)
                .contains(topic.name + "-0@1 attempt 1 key hash " + hash)
                .contains(topic.name + "-0@1 attempt 2 key hash " + hash);
        assertThat(mdc).containsOnly(Map.of());
        assertThat(RecordScope.current()).isEmpty();
    }

    @Test
    @DisplayName("B172 the MDC has the same while a handler runs, of a batch its size, and nothing afterwards")
    void inMdc() {
        TracedTopic topic = TracedTopic.of(2);
        try (Laneway _ = topic.consumer().observer(RecordScope.boundWithMdc()).processAsync((record, context) -> {
            look();
            return CompletableFuture.supplyAsync(() -> {
                look();
                return Outcome.done();
            });
        })) {
            topic.awaitDone();
        }
        assertThat(mdc)
                .contains(Map.of(
                        "laneway.topic",
                        topic.name,
                        "laneway.partition",
                        "0",
                        "laneway.offset",
                        "1",
                        "laneway.attempt",
                        "1",
                        "laneway.key.hash",
                        KeyHash.text(KeyHash.of("key-1".getBytes(UTF_8)))));
        assertThat(mdc.stream().filter(Map::isEmpty)).hasSize(2); // The stages', on threads of their own.
        assertThat(mdc.toString()).doesNotContain("key-1");

        TracedTopic other = TracedTopic.of(5);
        mdc.clear();
        try (Laneway _ = other.consumer()
                .observer(RecordScope.boundWithMdc())
                .processBatch(5, Duration.ofSeconds(30), records -> {
                    look();
                    return BatchOutcome.done();
                })) {
            other.awaitDone();
        }
        assertThat(mdc)
                .containsExactly(Map.of(
                        "laneway.topic",
                        other.name,
                        "laneway.partition",
                        "0",
                        "laneway.offset",
                        "0",
                        "laneway.records",
                        "5"));
        assertThat(seen).contains(other.name + "-0@0 and 4 more");
    }

    @Test
    @DisplayName("B172 a worker's thread has nothing left of one record when it handles the next")
    void leavesNothing() {
        TracedTopic topic = TracedTopic.of(1_000);
        try (Laneway _ = topic.consumer()
                .observer(RecordScope.boundWithMdc())
                .observer(RecordScope.bound())
                .process(record -> {
                    String offset = MDC.get("laneway.offset");
                    long scoped = RecordScope.current().orElseThrow().offset();
                    if (scoped != record.offset() || !("" + record.offset()).equals(offset)) {
                        seen.add(record.offset() + " has " + scoped + " and " + offset);
                    }
                })) {
            await().atMost(LIMIT).until(() -> topic.kafka.isCommittedToEnd(topic.name, topic.name));
        }
        assertThat(seen).isEmpty();
    }
}
