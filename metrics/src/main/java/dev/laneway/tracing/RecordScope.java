package dev.laneway.tracing;

import dev.laneway.LanewayObserver;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Which record a handler's code runs for, wherever that is:
 * {@code Laneway.consumer(config).observer(RecordScope.bound())} binds it while a handler runs, and {@link #current()}
 * has it on the handler's thread, and on threads that this forks in a {@code StructuredTaskScope}. Of an asynchronous
 * handler it is bound until that returns its stage. It names the key by a hash alone. Immutable and thread-safe.
 */
public final class RecordScope {
    private static final ScopedValue<RecordScope> CURRENT = ScopedValue.newInstance();
    private static final int HASH_BYTES = 8;
    private static final byte KEYED = 1;

    private final ConsumerRecord<byte[], byte[]> record;
    private final int attempt;
    private final int records;
    /** Made when it is first asked for; any thread makes the same. */
    private volatile @Nullable String keyHash;

    private RecordScope(ConsumerRecord<byte[], byte[]> record, int attempt, int records) {
        this.record = record;
        this.attempt = attempt;
        this.records = records;
    }

    /** Binds the scope while a handler runs, so that {@link #current()} has it. For one consumer or for several. */
    public static LanewayObserver.Factory bound() {
        return _ -> new Binding(false);
    }

    /**
     * As {@link #bound()}; and the MDC of SLF4J has, as long as the handler's thread runs it, {@code laneway.topic},
     * {@code laneway.partition}, {@code laneway.offset}, {@code laneway.attempt}, and {@code laneway.key.hash} if there
     * is a key; in a batch {@code laneway.records} in place of the last two. The MDC is the thread's alone: what a
     * handler runs elsewhere does not have it.
     */
    public static LanewayObserver.Factory boundWithMdc() {
        return _ -> new Binding(true);
    }

    /** The record that this thread handles; empty outside of handlers, and where nothing is bound. */
    public static Optional<RecordScope> current() {
        return CURRENT.isBound() ? Optional.of(CURRENT.get()) : Optional.empty();
    }

    /** Where the record was read. */
    public String topic() {
        return record.topic();
    }

    /** As {@link #topic()}. */
    public int partition() {
        return record.partition();
    }

    /** The record's offset; in a batch that of its first record. */
    public long offset() {
        return record.offset();
    }

    /**
     * The first 64 bits of the SHA-256 of the record's key, in 16 hexadecimal digits, as {@code offsets describe} and
     * health name a key where no other lane key is chosen. Empty for a record without a key, and in a batch.
     */
    public Optional<String> keyHash() {
        String known = keyHash;
        if (known == null && attempt > 0) {
            known = hash(record.key());
            keyHash = known;
        }
        return Optional.ofNullable(known);
    }

    /** From 1 on; in a batch 0, since its records may differ. */
    public int attempt() {
        return attempt;
    }

    /** How many records the handler has been given: 1, or as many as are in the batch. */
    public int records() {
        return records;
    }

    /** For logs: {@code orders-3@17 attempt 2 key hash 9f86d081884c7d65}. */
    @Override
    public String toString() {
        String place = topic() + "-" + partition() + "@" + offset();
        return attempt == 0
                ? place + " and " + (records - 1) + " more"
                : place + " attempt " + attempt
                        + keyHash().map(hash -> " key hash " + hash).orElse("");
    }

    /** Hashes a key as the engine does, whose commits list keys by this; null where there is none. */
    static @Nullable String hash(byte @Nullable [] key) {
        if (key == null) {
            return null;
        }
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(KEYED);
            return HexFormat.of().formatHex(digest.digest(key), 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256, which every Java platform must have", e);
        }
    }

    private Map<String, String> mdc() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("laneway.topic", topic());
        all.put("laneway.partition", Integer.toString(partition()));
        all.put("laneway.offset", Long.toString(offset()));
        if (attempt == 0) {
            all.put("laneway.records", Integer.toString(records));
        } else {
            all.put("laneway.attempt", Integer.toString(attempt));
            keyHash().ifPresent(hash -> all.put("laneway.key.hash", hash));
        }
        return all;
    }

    private record Binding(boolean withMdc) implements LanewayObserver {
        @Override
        public Attempt attemptStarted(ConsumerRecord<byte[], byte[]> record, int attempt, boolean follows) {
            return bind(new RecordScope(record, attempt, 1));
        }

        @Override
        public Attempt batchStarted(List<ConsumerRecord<byte[], byte[]>> records) {
            return bind(new RecordScope(records.getFirst(), 0, records.size()));
        }

        private Attempt bind(RecordScope scope) {
            return new Attempt() {
                @Override
                public void around(Runnable handler) {
                    ScopedValue.where(CURRENT, scope).run(withMdc ? () -> runWithMdc(scope, handler) : handler);
                }

                @Override
                public void ended(@Nullable Throwable failure) {
                    // Bound until the handler returned.
                }
            };
        }

        private static void runWithMdc(RecordScope scope, Runnable handler) {
            Map<String, String> added = scope.mdc();
            added.forEach(MDC::put);
            try {
                handler.run();
            } finally {
                added.keySet().forEach(MDC::remove);
            }
        }
    }
}
