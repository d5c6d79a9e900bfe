package dev.laneway;

import static dev.laneway.Stage.millis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** How tests of outputs copy each record. */
enum OutputKind {
    EMITTED,
    DEAD_LETTER,
    EXACTLY_ONCE;

    /**
     * Starts a consumer that copies all records.
     *
     * @param producing properties of its producer
     * @param sent counts what is given to the producer, again included
     */
    Laneway start(
            LanewayBuilder<String, String> builder, String out, Map<String, Object> producing, AtomicInteger sent) {
        Map<String, Object> config = new HashMap<>(producing);
        if (this == EXACTLY_ONCE) {
            config.put("transactional.id", out);
        }
        Around counting = (method, arguments, real) -> {
            if (method.equals("send")) {
                sent.incrementAndGet();
            }
            return real.call();
        };
        builder.onFailure(FailurePolicy.deadLetter(out)).producer(() -> counting.producer(config));
        return switch (this) {
            case EMITTED -> copying(builder, out);
            case EXACTLY_ONCE ->
                copying(builder.commit(CommitMode.exactlyOnce(out).withInterval(millis(20))), out);
            case DEAD_LETTER ->
                builder.process((RecordHandler<String, String>) record -> {
                    throw new IllegalStateException("told to");
                });
        };
    }

    private static Laneway copying(LanewayBuilder<String, String> builder, String out) {
        return builder.transform(
                new StringSerializer(),
                new StringSerializer(),
                record -> List.of(new ProducerRecord<>(out, record.key(), record.value())));
    }

    /** Whether the producer has given something up, so that it was, or will be, sent again. */
    boolean isSentAgain(Snapshot now, AtomicInteger sent) {
        int since = 25; // More than is sent between the snapshot and the look at the count.
        return this == EXACTLY_ONCE
                ? now.counters().failedCommits() > 0
                : sent.get() > now.counters().processed() + now.held() + since;
    }
}
