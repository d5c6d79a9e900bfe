package dev.laneway.dashboard;

import dev.laneway.LanewayObserver;
import dev.laneway.dashboard.Frame.BusyKey;
import dev.laneway.dashboard.Frame.DeadLetter;
import dev.laneway.dashboard.Frame.Latency;
import dev.laneway.dashboard.Frame.Unfinished;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Follows the attempts of one consumer. Keeps the keys that are busy, and the headers of the latest dead letters, but
 * no value of a record. Thread-safe.
 */
final class AttemptTrail implements LanewayObserver {
    private static final int MOST_SHOWN = 8;
    private static final int MOST_FAILURES = 1_000;
    private static final int MOST_FRAMES = 12;
    private static final int MOST_FETCHES = 64;
    private static final double STACK_SECONDS = 1;

    private final LongSupplier nanos;
    private final LongSupplier millis;
    private final AttemptSample sample;
    private final LatencyWindow waiting = new LatencyWindow();
    private final LatencyWindow handling = new LatencyWindow();
    private final LatencyWindow endToEnd = new LatencyWindow();
    private final BusyKeys keys = new BusyKeys();
    private final LetterTrail letters = new LetterTrail();
    /** Of each partition when the latest fetches came, by their last offsets. */
    private final Map<TopicPartition, ConcurrentSkipListMap<Long, Long>> fetches = new ConcurrentHashMap<>();

    private final Map<RecordPlace, Running> running = new ConcurrentHashMap<>();
    private final Map<RecordPlace, Failing> failing = new ConcurrentHashMap<>();

    /** A record that has failed, and may be tried again. */
    private record Failing(long sinceNanos, int attempts, String error) {}

    /** An attempt that goes on. */
    private final class Running implements Attempt {
        final ConsumerRecord<byte[], byte[]> record;
        final RecordPlace place;
        final int attempt;
        final int weight;
        final long timestamp;
        final long begun;
        volatile @Nullable Thread worker = Thread.currentThread();

        /** @param weight for how many attempts it stands */
        Running(ConsumerRecord<byte[], byte[]> record, int attempt, int weight) {
            this.record = record;
            this.weight = weight;
            this.place = RecordPlace.of(record);
            this.attempt = attempt;
            this.timestamp = record.timestampType() == TimestampType.NO_TIMESTAMP_TYPE ? -1 : record.timestamp();
            this.begun = nanos.getAsLong();
        }

        @Override
        public void returned() {
            worker = null; // It has other work; an asynchronous handler may go on elsewhere.
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            running.remove(place, this);
            long now = nanos.getAsLong();
            handling.add(now - begun, now);
            keys.add(record, now - begun, weight, now);
            if (failure == null) {
                failing.remove(place);
                if (timestamp >= 0) {
                    endToEnd.add(TimeUnit.MILLISECONDS.toNanos(millis.getAsLong() - timestamp), now);
                }
            }
        }

        @Override
        public @Nullable Sending sends(ConsumerRecord<byte[], byte[]> from, ProducerRecord<byte[], byte[]> output) {
            letters.sends(from, output);
            return null;
        }
    }

    AttemptTrail(LongSupplier nanos, LongSupplier millis) {
        this.nanos = nanos;
        this.millis = millis;
        this.sample = new AttemptSample(nanos);
    }

    @Override
    public @Nullable Attempt attemptStarted(ConsumerRecord<byte[], byte[]> record, int attempt, boolean follows) {
        int weight = attempt == 1 ? sample.weight(record.offset()) : 1;
        if (weight == 0) {
            return null;
        }
        Running one = new Running(record, attempt, weight);
        running.put(one.place, one);
        if (attempt == 1) {
            sample.chose(one.begun);
            waited(record, one.begun);
        }
        return one;
    }

    /** Since the first fetch that reaches it; nothing is added where that was too long ago to be known. */
    private void waited(ConsumerRecord<?, ?> record, long now) {
        ConcurrentSkipListMap<Long, Long> times = fetches.get(new TopicPartition(record.topic(), record.partition()));
        Map.Entry<Long, Long> fetch = times == null ? null : times.ceilingEntry(record.offset());
        if (times != null && fetch != null && (times.size() < MOST_FETCHES || times.lowerKey(fetch.getKey()) != null)) {
            waiting.add(now - fetch.getValue(), now);
        }
    }

    @Override
    public void fetched(TopicPartition partition, long firstOffset, long lastOffset, int records) {
        ConcurrentSkipListMap<Long, Long> times =
                fetches.computeIfAbsent(partition, _ -> new ConcurrentSkipListMap<>());
        times.tailMap(firstOffset, true).clear(); // It may have been sought back.
        times.put(lastOffset, nanos.getAsLong());
        while (times.size() > MOST_FETCHES) {
            times.pollFirstEntry();
        }
    }

    @Override
    public void attemptFailed(ConsumerRecord<byte[], byte[]> record, int attempt, Throwable cause) {
        RecordPlace place = RecordPlace.of(record);
        Failing before = failing.get(place);
        if (before != null || failing.size() < MOST_FAILURES) {
            long since = before == null ? nanos.getAsLong() : before.sinceNanos;
            failing.put(place, new Failing(since, attempt, cause.getClass().getName()));
        }
    }

    @Override
    public void skipped(TopicPartition partition, long offset, @Nullable Throwable cause) {
        failing.remove(RecordPlace.of(partition, offset));
    }

    @Override
    public void deadLettered(TopicPartition partition, long offset, String topic) {
        RecordPlace place = RecordPlace.of(partition, offset);
        failing.remove(place);
        letters.acknowledged(place, topic, millis.getAsLong());
    }

    @Override
    public void revoked(Collection<TopicPartition> partitions, Duration took) {
        gone(partitions);
    }

    @Override
    public void lost(Collection<TopicPartition> partitions, Duration took) {
        gone(partitions);
    }

    private void gone(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            failing.keySet().removeIf(place -> place.isOf(partition));
            fetches.remove(partition);
            letters.gone(partition);
        }
    }

    @Override
    public void ended(@Nullable Throwable failure) {
        running.clear();
        failing.clear();
        fetches.clear();
    }

    List<BusyKey> busyKeys(boolean showsKeys) {
        return keys.read(showsKeys, nanos.getAsLong());
    }

    List<DeadLetter> deadLetters(boolean showsHeaders) {
        return letters.newest(showsHeaders);
    }

    List<Latency> latencies() {
        long now = nanos.getAsLong();
        List<Latency> known = new ArrayList<>();
        for (Latency one : new @Nullable Latency[] {
            waiting.read("waits for a worker", now), handling.read("handler", now), endToEnd.read("end to end", now)
        }) {
            if (one != null) {
                known.add(one);
            }
        }
        return known;
    }

    /** The records that are unfinished for longest: whose handler runs, or that wait for their next attempt. */
    List<Unfinished> unfinished(boolean withStacks) {
        sample.look();
        long now = nanos.getAsLong();
        List<Unfinished> all = new ArrayList<>();
        oldest(now).forEach(one -> all.add(running(one, now, withStacks)));
        failing.forEach((place, one) -> {
            if (!running.containsKey(place)) {
                all.add(new Unfinished(
                        place.id(), place.offset(), (now - one.sinceNanos) / 1e9, one.attempts, one.error, List.of()));
            }
        });
        all.sort(Comparator.comparingDouble(Unfinished::seconds).reversed());
        return all.subList(0, Math.min(MOST_SHOWN, all.size()));
    }

    /** Without sorting the others, of which there may be very many. */
    private Collection<Running> oldest(long now) {
        Comparator<Running> byAge = Comparator.comparingLong(one -> now - one.begun);
        PriorityQueue<Running> oldest = new PriorityQueue<>(MOST_SHOWN + 1, byAge);
        for (Running one : running.values()) {
            oldest.add(one);
            if (oldest.size() > MOST_SHOWN) {
                oldest.remove();
            }
        }
        return oldest;
    }

    private Unfinished running(Running one, long now, boolean withStacks) {
        double seconds = (now - one.begun) / 1e9;
        Failing failed = failing.get(one.place);
        Thread worker = one.worker;
        List<String> stack = withStacks && worker != null && seconds >= STACK_SECONDS ? stack(one, worker) : List.of();
        return new Unfinished(
                one.place.id(), one.place.offset(), seconds, one.attempt, failed == null ? null : failed.error, stack);
    }

    /** Empty if the attempt has ended meanwhile: then it is the stack of something else. */
    private static List<String> stack(Running one, Thread worker) {
        StackTraceElement[] frames = worker.getStackTrace();
        return !worker.equals(one.worker)
                ? List.of()
                : Arrays.stream(frames)
                        .limit(MOST_FRAMES)
                        .map(StackTraceElement::toString)
                        .toList();
    }
}
