package dev.laneway.tracing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.laneway.BatchOutcome;
import dev.laneway.FailurePolicy;
import dev.laneway.LaneKey;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What runs beside OpenTelemetry's agent: for each argument {@code mode:topic:records} after the bootstrap servers it
 * handles the records of that topic, each in a span {@code handled}, and ends.
 */
final class AgentProgram {
    private static final long LIMIT_SECONDS = 120;

    private final String servers;
    private final String topic;
    private final CountDownLatch left;
    private final CountDownLatch others;

    private AgentProgram(String servers, String topic, int records) {
        this.servers = servers;
        this.topic = topic;
        this.left = new CountDownLatch(records);
        this.others = new CountDownLatch(records - AgentTest.stuck(records));
    }

    public static void main(String... args) throws Exception {
        for (int i = 1; i < args.length; i++) {
            String[] parts = args[i].split(":", -1);
            new AgentProgram(args[0], parts[1], Integer.parseInt(parts[2])).run(parts[0]);
        }
    }

    private void run(String mode) throws Exception {
        switch (mode) {
            case "bare" -> loop();
            case "plain" -> await(consumer().process(this::handled));
            case "keyed" ->
                await(consumer()
                        .laneKey(LaneKey.of("value", ConsumerRecord::value))
                        .process(this::handled));
            case "batch" ->
                await(consumer().processBatch(10, Duration.ofMillis(100), records -> {
                    Iterator<ConsumerRecord<byte[], byte[]>> each = records.iterator();
                    for (int i = 0; i < records.size(); i++) {
                        handled(each.next()); // Does not ask behind the last one, so the agent is not told of its end.
                    }
                    return BatchOutcome.done();
                }));
            case "stuck" ->
                await(consumer().bufferRecords(1_000).process(record -> {
                    if (AgentTest.isStuck(record.offset())) {
                        others.await();
                    } else {
                        others.countDown();
                    }
                    handled(record);
                }));
            case "traced" ->
                await(consumer()
                        .observer(OpenTelemetryTracing.to(GlobalOpenTelemetry.get()))
                        .process(this::handled));
            case "letters" ->
                await(consumer()
                        .observer(OpenTelemetryTracing.to(GlobalOpenTelemetry.get()))
                        .onFailure(FailurePolicy.deadLetter(topic + ".dlq"))
                        .process(record -> {
                            handled(record);
                            throw new IllegalStateException("no stock");
                        }));
            default -> throw new IllegalArgumentException(mode);
        }
    }

    private Map<String, Object> config() {
        return Map.of("bootstrap.servers", servers, "group.id", topic, "auto.offset.reset", "earliest");
    }

    private LanewayBuilder<byte[], byte[]> consumer() {
        return Laneway.consumer(config()).subscribe(topic).name("client-of-" + topic);
    }

    private void loop() {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (left.getCount() > 0) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    handled(record);
                }
            }
        }
    }

    private void handled(ConsumerRecord<byte[], byte[]> record) {
        GlobalOpenTelemetry.getTracer("handler")
                .spanBuilder("handled " + topic)
                .setAttribute("value", new String(record.value(), UTF_8))
                .startSpan()
                .end();
        left.countDown();
    }

    private void await(Laneway laneway) throws InterruptedException {
        try (laneway) {
            if (!left.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(left.getCount() + " records of " + topic + " were not handled");
            }
            if (!laneway.drain(Duration.ofSeconds(LIMIT_SECONDS))) {
                throw new IllegalStateException(topic + " was not drained");
            }
        }
    }
}
