package dev.laneway.dashboard;

import dev.laneway.DeadLetterHeaders;
import dev.laneway.dashboard.Frame.DeadLetter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** The latest dead letters of one consumer with their headers. Thread-safe. */
final class LetterTrail {
    private static final int MOST_LETTERS = 20;
    private static final int MOST_PENDING = 1_000;
    private static final int MOST_HEADERS = 32;
    private static final int LONGEST_VALUE = 200;
    /** Those of Laneway's own headers that can hold nothing of a record or of a failure's message. */
    private static final Set<String> HARMLESS = Set.of(
            DeadLetterHeaders.TOPIC,
            DeadLetterHeaders.PARTITION,
            DeadLetterHeaders.OFFSET,
            DeadLetterHeaders.TIMESTAMP,
            DeadLetterHeaders.GROUP,
            DeadLetterHeaders.EXCEPTION,
            DeadLetterHeaders.ATTEMPTS,
            DeadLetterHeaders.OMITTED);

    /** Of letters that were sent and have no answer yet. */
    private final Map<RecordPlace, List<Kept>> pending = new ConcurrentHashMap<>();

    private final Deque<Letter> letters = new ArrayDeque<>(); // Guarded by itself.

    /** A header, with its value as text; both cut. */
    private record Kept(String name, String value) {}

    private record Letter(long atMillis, RecordPlace place, String topic, List<Kept> headers) {}

    /** Something is sent because of a record: its dead letter, or what its handler emits. */
    void sends(ConsumerRecord<byte[], byte[]> record, ProducerRecord<byte[], byte[]> output) {
        // What is read from a topic of dead letters, and emitted, has such headers too, but of another place.
        if (hasText(output, DeadLetterHeaders.TOPIC, record.topic())
                && hasText(output, DeadLetterHeaders.OFFSET, Long.toString(record.offset()))
                && pending.size() < MOST_PENDING) {
            List<Kept> headers = new ArrayList<>();
            Header[] all = output.headers().toArray();
            for (int at = Math.max(0, all.length - MOST_HEADERS); at < all.length; at++) { // Laneway's own are last.
                headers.add(new Kept(text(bytes(all[at].key())), text(all[at].value())));
            }
            pending.put(RecordPlace.of(record), headers);
        }
    }

    private static boolean hasText(ProducerRecord<byte[], byte[]> output, String name, String text) {
        Header last = output.headers().lastHeader(name);
        return last != null && last.value() != null && text.equals(new String(last.value(), StandardCharsets.UTF_8));
    }

    private static String text(byte @Nullable [] value) {
        return value == null ? "null" : RecordText.of(value, LONGEST_VALUE);
    }

    void acknowledged(RecordPlace place, String topic, long atMillis) {
        List<Kept> headers = pending.remove(place);
        synchronized (letters) {
            if (letters.size() == MOST_LETTERS) {
                letters.removeLast();
            }
            letters.addFirst(new Letter(atMillis, place, topic, headers == null ? List.of() : headers));
        }
    }

    void gone(TopicPartition partition) {
        pending.keySet().removeIf(place -> place.isOf(partition));
    }

    /**
     * The newest first.
     *
     * @param withValues whether values are shown that may hold something of records
     */
    List<DeadLetter> newest(boolean withValues) {
        synchronized (letters) {
            return letters.stream()
                    .map(letter -> new DeadLetter(
                            letter.atMillis,
                            letter.place.id(),
                            letter.place.offset(),
                            letter.topic,
                            letter.headers.stream()
                                    .map(header -> text(header, withValues))
                                    .toList()))
                    .toList();
        }
    }

    private static String text(Kept header, boolean withValues) {
        return withValues || HARMLESS.contains(header.name) ? header.name + ": " + header.value : header.name;
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }
}
