package dev.laneway.engine.handle;

import dev.laneway.engine.track.DeadLetter;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the records of one source's partitions where they are delivered, and says what follows when one cannot be read,
 * by the rule that holds for handlers, too. Thread-safe if the deserialisers are.
 */
public final class StreamReader<K, V> {
    private static final Logger log = LoggerFactory.getLogger(StreamReader.class);
    private static final String REMEDY = "if it is the records that are wrong, read bytes and deserialise in a stage";
    private static final int LOGGED_CHARS = 300;

    private final RecordReader<K, V> reader;
    private final boolean skips;
    /** For pauses, with this object's monitor. */
    private final RandomGenerator random;

    /** Of the one consumer that feeds the source; made with the first failure. */
    private volatile @Nullable UnreadableRecords unreadable;

    /**
     * One for all partitions of a source.
     *
     * @param skips whether records whose bytes are wrong are skipped
     * @param random spreads the pauses
     */
    public StreamReader(Deserializer<K> keys, Deserializer<V> values, boolean skips, RandomGenerator random) {
        this.reader = new RecordReader<>(keys, values);
        this.skips = skips;
        this.random = random;
    }

    /** The record in the user's types; throws a {@link dev.laneway.RecordDeserializationException} when it has none. */
    public ConsumerRecord<K, V> read(ConsumerRecord<byte[], byte[]> raw) {
        ConsumerRecord<K, V> read = reader.read(raw);
        UnreadableRecords before = unreadable;
        if (before != null) {
            before.read(raw.topic());
        }
        return read;
    }

    /**
     * How long the partition waits until the record is read again; null when that would not help.
     *
     * @param attempt how often it could not be read, from 1 on
     */
    public synchronized @Nullable Duration pause(
            StreamFeed feed, ConsumerRecord<byte[], byte[]> raw, Throwable failure, int attempt) {
        UnreadableRecords records = of(feed);
        boolean waits = UnreadableRecords.mayPass(failure)
                ? records.isWaiting(raw, failure)
                : skips && records.isOneOfMany(raw, failure);
        return waits ? UnreadableRecords.pause(attempt, random) : null;
    }

    /** Passes a record over whose bytes are wrong, as if it had been acknowledged; false where it must not. */
    public boolean skip(StreamFeed feed, ConsumerRecord<byte[], byte[]> raw, Throwable failure) {
        if (skips) {
            log.warn("skipped {}", DeadLetter.reason(failure, LOGGED_CHARS));
            feed.counts.skipped(feed.partition, raw.offset(), failure);
            if (feed.kind.isAcknowledged()) {
                feed.done(raw.offset(), null);
            }
        }
        return skips;
    }

    private UnreadableRecords of(StreamFeed feed) {
        UnreadableRecords made = unreadable;
        if (made == null) {
            made = new UnreadableRecords(feed.conditions, REMEDY);
            unreadable = made;
        }
        return made;
    }
}
