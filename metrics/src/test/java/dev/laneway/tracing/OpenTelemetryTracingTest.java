package dev.laneway.tracing;

import static dev.laneway.tracing.TracedTopic.LIMIT;
import static dev.laneway.tracing.TracedTopic.parent;
import static dev.laneway.tracing.TracedTopic.trace;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Backoff;
import dev.laneway.BatchOutcome;
import dev.laneway.CommitMode;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.Outcome;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Spans of consumers on a real broker, by OpenTelemetry's SDK. */
class OpenTelemetryTracingTest {
    private static final AttributeKey<Long> OFFSET = AttributeKey.longKey("messaging.kafka.offset");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("laneway.attempt");

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .setPropagators(ContextPropagators.create(TextMapPropagator.composite(
                    W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())))
            .build();

    @AfterEach
    void close() {
        sdk.close();
    }

    private LanewayBuilder<String, String> consumer(TracedTopic topic) {
        return topic.consumer().observer(OpenTelemetryTracing.to(sdk));
    }

    /** Those that have ended, by what is handled or sent and its attempt. */
    private List<SpanData> spans(String name) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .sorted(Comparator.comparing((SpanData span) -> span.getTraceId())
                        .thenComparingLong(SpanData::getStartEpochNanos))
                .toList();
    }

    private static boolean isOf(SpanData span, long offset) {
        return Long.valueOf(offset).equals(span.getAttributes().get(OFFSET));
    }

    private void assertInTraceOfRecord(SpanData span, long offset) {
        assertThat(span.getTraceId()).isEqualTo(trace(offset));
        assertThat(span.getParentSpanId()).isEqualTo(parent(offset));
        assertThat(span.getParentSpanContext().isRemote()).isTrue();
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        assertThat(record.headers().headers(name)).as(name).hasSize(1);
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    private static String in(SpanData span) {
        return "00-" + span.getTraceId() + "-" + span.getSpanId() + "-01";
    }

    @Test
    @DisplayName("B170 an attempt is one span below the record's sender, current for its handler, and shows no key")
    void process() {
        TracedTopic topic = TracedTopic.of(200);
        ConcurrentMap<Long, String> bags = new ConcurrentHashMap<>();
        try (Laneway _ = consumer(topic).process(record -> {
            sdk.getTracer("test")
                    .spanBuilder("query")
                    .setAttribute(OFFSET, record.offset())
                    .startSpan()
                    .end();
            bags.put(record.offset(), String.valueOf(Baggage.current().getEntryValue("shop")));
        })) {
            topic.awaitDone();
        }
        List<SpanData> attempts = spans("process " + topic.name);
        List<SpanData> queries = spans("query");
        assertThat(attempts).hasSize(200);
        assertThat(queries).hasSize(200);
        for (int i = 0; i < 200; i++) {
            SpanData attempt = attempts.get(i);
            assertInTraceOfRecord(attempt, i);
            assertThat(attempt.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(attempt.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
            assertThat(attempt.getInstrumentationScopeInfo().getName()).isEqualTo("dev.laneway");
            assertThat(queries.get(i).getParentSpanId()).isEqualTo(attempt.getSpanId());
            assertThat(isOf(queries.get(i), i)).isTrue();
            assertThat(bags).containsEntry((long) i, "" + i);
        }
        Map<String, Object> named = new ConcurrentHashMap<>();
        attempts.get(7).getAttributes().forEach((key, value) -> named.put(key.getKey(), value));
        assertThat(named)
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("messaging.system", "kafka"),
                        Map.entry("messaging.operation.type", "process"),
                        Map.entry("messaging.operation.name", "process"),
                        Map.entry("messaging.destination.name", topic.name),
                        Map.entry("messaging.destination.partition.id", "0"),
                        Map.entry("messaging.kafka.offset", 7L),
                        Map.entry("messaging.consumer.group.name", topic.name),
                        Map.entry("messaging.client.id", "client-of-" + topic.name),
                        Map.entry("laneway.attempt", 1L),
                        Map.entry("laneway.key.hash", RecordScope.hash("key-7".getBytes(UTF_8)))));
        assertThat(attempts.toString()).doesNotContain("key-7");
    }

    @Test
    @DisplayName("B170 each attempt is a span of its own below one parent, and one that failed says why")
    void retry() {
        TracedTopic topic = TracedTopic.of(10);
        try (Laneway _ = consumer(topic)
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(10)), 3))
                .process((record, context) -> {
                    if (record.offset() == 4 && context.attempt() == 1) {
                        throw new IllegalStateException("no stock");
                    }
                    return Outcome.done();
                })) {
            topic.awaitDone();
        }
        List<SpanData> attempts = spans("process " + topic.name);
        assertThat(attempts).hasSize(11);
        List<SpanData> both = attempts.stream().filter(span -> isOf(span, 4)).toList();
        assertThat(both).hasSize(2).allSatisfy(span -> assertInTraceOfRecord(span, 4));
        assertThat(both).extracting(span -> span.getAttributes().get(ATTEMPT)).containsExactly(1L, 2L);
        assertThat(both.getFirst().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(both.getFirst().getAttributes().get(AttributeKey.stringKey("error.type")))
                .isEqualTo("java.lang.IllegalStateException");
        assertThat(both.getFirst().getEvents())
                .singleElement()
                .satisfies(event -> assertThat(event.getAttributes().get(AttributeKey.stringKey("exception.message")))
                        .isEqualTo("no stock"));
        assertThat(both.getLast().getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(both.getLast().getEvents()).isEmpty();
    }

    private static String error(SpanData span) {
        return String.valueOf(span.getAttributes().get(AttributeKey.stringKey("error.type")));
    }

    @Test
    @DisplayName("B170 the span of an asynchronous handler is current for it, and ends with its stage")
    void async() {
        TracedTopic topic = TracedTopic.of(2);
        List<CompletableFuture<Outcome>> stages = List.of(new CompletableFuture<>(), new CompletableFuture<>());
        ConcurrentMap<Long, String> current = new ConcurrentHashMap<>();
        try (Laneway _ = consumer(topic).onFailure(FailurePolicy.skip()).processAsync((record, context) -> {
            current.put(record.offset(), Span.current().getSpanContext().getTraceId());
            return stages.get((int) record.offset());
        })) {
            await().atMost(LIMIT).until(() -> current.size() == 2);
            assertThat(spans("process " + topic.name)).isEmpty();
            assertThat(current).containsOnly(Map.entry(0L, trace(0)), Map.entry(1L, trace(1)));
            stages.get(0).complete(Outcome.done());
            stages.get(1).completeExceptionally(new IllegalStateException("no stock"));
            topic.awaitDone();
        }
        assertThat(spans("process " + topic.name))
                .extracting(OpenTelemetryTracingTest::error)
                .containsExactly("null", "java.lang.IllegalStateException");
    }

    @Test
    @DisplayName("B170 where a stage is over the attempt limit its span ends by that, and not again with the stage")
    void overTheLimit() {
        TracedTopic topic = TracedTopic.of(1);
        CompletableFuture<Outcome> stage = new CompletableFuture<>();
        try (Laneway _ = consumer(topic)
                .attemptLimit(Duration.ofMillis(300))
                .onFailure(FailurePolicy.skip())
                .processAsync((record, context) -> stage.minimalCompletionStage())) { // Nobody can cancel it.
            topic.awaitDone();
        }
        stage.complete(Outcome.done());
        assertThat(spans("process " + topic.name))
                .extracting(OpenTelemetryTracingTest::error)
                .containsExactly("dev.laneway.AttemptTimeoutException");
    }

    @Test
    @DisplayName("B170 B171 a batch is one span with a link to each record, whose dead letters stay in their traces")
    void batches() {
        TracedTopic topic = TracedTopic.of(10);
        String letters = topic.other(".dlq");
        try (Laneway _ = consumer(topic)
                .onFailure(FailurePolicy.deadLetter(letters))
                .processBatch(
                        10,
                        Duration.ofSeconds(30),
                        records -> BatchOutcome.each(records.stream()
                                .map(record -> record.offset() == 6 ? Outcome.deadLetter("bad") : Outcome.done())
                                .toList()))) {
            topic.awaitDone();
        }
        List<SpanData> attempts = spans("process " + topic.name);
        assertThat(attempts).hasSize(1);
        SpanData batch = attempts.getFirst();
        assertThat(batch.getParentSpanContext().isValid()).isFalse();
        assertThat(batch.getAttributes().get(AttributeKey.longKey("messaging.batch.message_count")))
                .isEqualTo(10);
        assertThat(batch.getLinks()).hasSize(10).allSatisfy(link -> {
            Long offset = link.getAttributes().get(OFFSET);
            assertThat(link.getSpanContext().getTraceId()).isEqualTo(trace(offset));
            assertThat(link.getSpanContext().getSpanId()).isEqualTo(parent(offset));
        });
        SpanData send = spans("send " + letters).getFirst();
        assertThat(send.getTraceId()).isEqualTo(trace(6));
        assertThat(send.getParentSpanId()).isEqualTo(parent(6));
        assertThat(send.getLinks())
                .singleElement()
                .satisfies(link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(batch.getSpanId()));
        assertThat(header(topic.read(letters, 1).getFirst(), "traceparent")).isEqualTo(in(send));
    }

    @Test
    @DisplayName("B171 with exactly-once, too, outputs carry the context of a span below the attempt that emits them")
    void transform() {
        TracedTopic topic = TracedTopic.of(50);
        String out = topic.other(".out");
        try (Laneway _ = consumer(topic)
                .commit(CommitMode.exactlyOnce(topic.name))
                .transform(
                        new StringSerializer(),
                        new StringSerializer(),
                        record -> List.of(new ProducerRecord<>(out, record.key(), record.value())))) {
            topic.awaitDone();
        }
        List<SpanData> attempts = spans("process " + topic.name);
        List<SpanData> sends = spans("send " + out);
        assertThat(attempts).hasSize(50);
        assertThat(sends).hasSize(50);
        for (ConsumerRecord<byte[], byte[]> sent : topic.read(out, 50)) {
            int of = Integer.parseInt(new String(sent.value(), UTF_8));
            SpanData send = sends.get(of);
            assertThat(send.getTraceId()).isEqualTo(trace(of));
            assertThat(send.getKind()).isEqualTo(SpanKind.PRODUCER);
            assertThat(send.getParentSpanId()).isEqualTo(attempts.get(of).getSpanId());
            assertThat(header(sent, "traceparent")).isEqualTo(in(send));
            assertThat(header(sent, "baggage")).isEqualTo("shop=" + of);
        }
    }

    @Test
    @DisplayName("B171 one record that all handlers emit is sent in the trace of each, and not changed itself")
    void sharedOutput() {
        TracedTopic topic = TracedTopic.of(100);
        String out = topic.other(".out");
        ProducerRecord<byte[], byte[]> shared = new ProducerRecord<>(out, new byte[1]);
        try (Laneway _ = consumer(topic).process((record, context) -> Outcome.emit(List.of(shared)))) {
            topic.awaitDone();
        }
        assertThat(shared.headers()).isEmpty();
        assertThat(topic.read(out, 100).stream()
                        .map(sent -> header(sent, "traceparent").substring(3, 35))
                        .sorted())
                .containsExactlyElementsOf(spans("process " + topic.name).stream()
                        .map(SpanData::getTraceId)
                        .toList());
    }

    @Test
    @DisplayName("B171 a dead letter stays in its record's trace, below the last attempt")
    void deadLetter() {
        TracedTopic topic = TracedTopic.of(10);
        String letters = topic.other(".dlq");
        try (Laneway _ = consumer(topic)
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(10)), 2)
                        .thenDeadLetter(letters))
                .process(record -> {
                    if (record.offset() == 4) {
                        throw new IllegalStateException("no stock");
                    }
                })) {
            topic.awaitDone();
        }
        List<SpanData> both = spans("process " + topic.name).stream()
                .filter(span -> isOf(span, 4))
                .toList();
        assertThat(both).hasSize(2);
        List<SpanData> sends = spans("send " + letters);
        assertThat(sends).hasSize(1);
        assertThat(sends.getFirst().getTraceId()).isEqualTo(trace(4));
        assertThat(sends.getFirst().getParentSpanId()).isEqualTo(both.getLast().getSpanId());
        ConsumerRecord<byte[], byte[]> letter = topic.read(letters, 1).getFirst();
        assertThat(header(letter, "traceparent")).isEqualTo(in(sends.getFirst()));
        assertThat(header(letter, "baggage")).isEqualTo("shop=4");
    }

    @Test
    @DisplayName("B171 a record that was left to the log and read again is handled in its own trace")
    void refilled() {
        int records = 20_000;
        TracedTopic topic = TracedTopic.of(records, i -> i % 4 == 0 ? "stuck" : "key-" + i % 997);
        CountDownLatch release = new CountDownLatch(1);
        List<Long> others = new ArrayList<>();
        try (Laneway laneway = consumer(topic).bufferRecords(1_000).process(record -> {
            if (record.offset() == 0) {
                release.await();
            }
            if (!record.key().equals("stuck")) {
                synchronized (others) {
                    others.add(record.offset());
                }
            }
        })) {
            await().atMost(LIMIT).until(() -> {
                synchronized (others) {
                    return others.size() == records - records / 4;
                }
            });
            release.countDown();
            topic.awaitDone();
            assertThat(laneway.snapshot().counters().refilled()).isPositive();
        }
        List<SpanData> attempts = spans("process " + topic.name);
        assertThat(attempts).hasSize(records);
        for (int i = 0; i < records; i++) {
            assertInTraceOfRecord(attempts.get(i), i);
        }
    }
}
