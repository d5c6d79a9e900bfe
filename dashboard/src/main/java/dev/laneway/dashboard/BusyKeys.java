package dev.laneway.dashboard;

import dev.laneway.dashboard.Frame.BusyKey;
import dev.laneway.ops.CommitMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The keys whose handlers took most of the latest minute. Of many keys those that take little are forgotten: when there
 * is no room, the median of all is taken off each, and what is left of none goes (Misra and Gries, by medians). So a
 * key has at least what is told, and at most as much more as was taken off. Thread-safe.
 */
final class BusyKeys {
    private static final int SLOTS = 3;
    private static final long SLOT_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int MOST_KEYS = 512;
    private static final int MOST_SHOWN = 8;
    /** Longer keys are kept by their hash. */
    private static final int LONGEST_KEY = 256;

    private static final int LONGEST_TEXT = 60;

    private final List<Slot> slots = new ArrayList<>();
    private long begun = Long.MAX_VALUE;

    /** A key in a partition; the same one in another partition is another lane. Its bytes are characters here. */
    private record LaneKey(String topic, int partition, String key, boolean isHash) {
        String text(boolean isShown) {
            if (isHash) {
                return key;
            }
            byte[] bytes = key.getBytes(StandardCharsets.ISO_8859_1);
            return isShown ? RecordText.of(bytes, LONGEST_TEXT) : hash(bytes);
        }
    }

    /** Handler time and records of a key. */
    private static final class Work {
        long nanos;
        long records;
    }

    /** Twenty seconds. */
    private static final class Slot {
        final Map<LaneKey, Work> keys = new HashMap<>();
        long number = Long.MIN_VALUE;
    }

    BusyKeys() {
        for (int slot = 0; slot < SLOTS; slot++) {
            slots.add(new Slot());
        }
    }

    /** As health and {@code offsets describe} name a key. */
    private static String hash(byte[] key) {
        return HexFormat.of().toHexDigits(CommitMap.SpilledKey.hash(key));
    }

    /**
     * Adds an attempt that has ended. Records without a key have none that is busy.
     *
     * @param weight for how many attempts this one stands
     */
    void add(ConsumerRecord<byte[], byte[]> record, long tookNanos, int weight, long nowNanos) {
        byte[] key = record.key();
        if (key == null) {
            return;
        }
        boolean isLong = key.length > LONGEST_KEY;
        String kept = isLong ? hash(key) : new String(key, StandardCharsets.ISO_8859_1);
        add(new LaneKey(record.topic(), record.partition(), kept, isLong), Math.max(0, tookNanos), weight, nowNanos);
    }

    private synchronized void add(LaneKey key, long tookNanos, int weight, long nowNanos) {
        begun = begun == Long.MAX_VALUE ? nowNanos : begun;
        long number = Math.floorDiv(nowNanos, SLOT_NANOS);
        Slot slot = slots.get(Math.floorMod(number, SLOTS));
        if (slot.number < number) {
            slot.number = number;
            slot.keys.clear();
        }
        Work work = slot.keys.computeIfAbsent(key, _ -> new Work());
        work.nanos += weight * tookNanos;
        work.records += weight;
        if (slot.keys.size() > MOST_KEYS) {
            makeRoom(slot);
        }
    }

    private static void makeRoom(Slot slot) {
        long[] all = slot.keys.values().stream()
                .mapToLong(work -> work.nanos)
                .sorted()
                .toArray();
        long median = all[all.length / 2];
        slot.keys.values().removeIf(work -> {
            work.nanos -= median;
            return work.nanos <= 0;
        });
    }

    /**
     * The busiest first.
     *
     * @param showsKeys whether keys are shown, or their hashes
     */
    synchronized List<BusyKey> read(boolean showsKeys, long nowNanos) {
        long last = Math.floorDiv(nowNanos, SLOT_NANOS);
        Map<LaneKey, Work> sums = new HashMap<>();
        for (Slot slot : slots) {
            if (slot.number > last - SLOTS) {
                slot.keys.forEach((key, work) -> {
                    Work sum = sums.computeIfAbsent(key, _ -> new Work());
                    sum.nanos += work.nanos;
                    sum.records += work.records;
                });
            }
        }
        double span = Math.max(1, nowNanos - Math.max(begun, (last - SLOTS + 1) * SLOT_NANOS));
        return sums.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<LaneKey, Work> entry) -> entry.getValue().nanos)
                        .reversed())
                .limit(MOST_SHOWN)
                .map(entry -> new BusyKey(
                        entry.getKey().text(showsKeys),
                        entry.getKey().topic() + "-" + entry.getKey().partition(),
                        entry.getValue().records,
                        Math.min(1, entry.getValue().nanos / span)))
                .toList();
    }
}
