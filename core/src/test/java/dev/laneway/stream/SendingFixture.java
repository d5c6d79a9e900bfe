package dev.laneway.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.laneway.SendFailedException;
import dev.laneway.stream.runtime.StageRuntime;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/** The stage behind the producing sinks, with a broker whose answers the test gives. */
abstract class SendingFixture {
    static final String TOPIC = "out";
    static final int LIMIT = 8;

    final HandProducer producer = new HandProducer();
    final HandAlarm alarm = new HandAlarm();
    final HandPublisher<Envelope<String, String, Integer>> above = new HandPublisher<>();
    final Probe<Result<String, String, Integer>> probe = Probe.asking(0);

    SinkStage<Envelope<String, String, Integer>, String, String, Result<String, String, Integer>> run(
            UnaryOperator<ProducerSettings<String, String>> settings) {
        SinkStage<Envelope<String, String, Integer>, String, String, Result<String, String, Integer>> sending =
                new SinkStage<>(settings.apply(settings()), new ElementShape.Enveloped<>(), machine());
        above.subscribe(sending);
        sending.subscribe(probe);
        return sending;
    }

    ProducerSettings<String, String> settings() {
        return ProducerSettings.of(producer, new StringSerializer(), new StringSerializer())
                .withMaxInFlightRecords(LIMIT);
    }

    /** Everything on the test's own thread. */
    StageRuntime machine() {
        return new StageRuntime(Runnable::run, alarm, RandomGenerator.getDefault());
    }

    static ProducerRecord<String, String> record(int number) {
        return new ProducerRecord<>(TOPIC, "key", String.valueOf(number));
    }

    void send(int from, int to) {
        IntStream.range(from, to).forEach(number -> above.send(Envelope.single(record(number), number)));
    }

    List<Integer> results() {
        return probe.elements().stream().map(Result::passThrough).toList();
    }

    List<RecordMetadata> metadata(int number) {
        return ((Result.Sent<String, String, Integer>) probe.elements().get(number)).metadata();
    }

    SendFailedException failure(int number) {
        return ((Result.Failed<String, String, Integer>) probe.elements().get(number)).failure();
    }

    List<String> sent() {
        return producer.sent().stream()
                .map(record -> new String(record.value(), UTF_8))
                .toList();
    }
}
