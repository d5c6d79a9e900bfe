package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidRecordStateException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** The brokers' side of a share group (KIP-932): who has which record, until when, and how often it was delivered. */
final class SimShareGroup {
    /** Kafka's default of {@code group.share.delivery.count.limit}. */
    static final int MOST_DELIVERIES = 5;

    private static final Duration FETCH_WAIT = Duration.ofMillis(500);

    /** Where a record stands. */
    enum State {
        AVAILABLE,
        ACQUIRED,
        ACKNOWLEDGED,
        ARCHIVED
    }

    /** A record, as the group knows it. */
    static final class Slot {
        final TopicPartition id;
        final long offset;
        private final byte[] value;
        State state = State.AVAILABLE;
        int deliveries;
        /** Who has had it last. */
        @Nullable
        String holder;
        /** Since when its lock counts. */
        long lockedNanos;
        /** A number for each lock: what was planned for another one is void. */
        private long lock;

        Slot(TopicPartition id, long offset, byte[] value, int deliveries) {
            this.id = id;
            this.offset = offset;
            this.value = value;
            this.deliveries = deliveries;
        }

        boolean isOver() {
            return state == State.ACKNOWLEDGED || state == State.ARCHIVED;
        }

        private boolean isHeldBy(String member) {
            return state == State.ACQUIRED && member.equals(holder);
        }

        private ConsumerRecord<byte[], byte[]> record() {
            return new ConsumerRecord<>(
                    id.topic(),
                    id.partition(),
                    offset,
                    0,
                    TimestampType.CREATE_TIME,
                    0,
                    value.length,
                    null,
                    value,
                    new RecordHeaders(),
                    Optional.empty(),
                    Optional.of((short) deliveries));
        }

        @Override
        public String toString() {
            return id + "@" + offset + " " + state + " delivered " + deliveries + " times, last to " + holder;
        }
    }

    private record Waiting(String member, int most, Consumer<List<ConsumerRecord<byte[], byte[]>>> answer) {}

    private final Simulation sim;
    private final SplittableRandom random;
    private final SimShareCheck check;
    private final long lockNanos;
    /** Whether a record that may be at fault is handed out alone, so that it harms no others. */
    private final boolean alone;

    private final Map<TopicPartition, List<Slot>> logs = new LinkedHashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private long locks;

    SimShareGroup(Simulation sim, SplittableRandom random, SimShareCheck check, long lockNanos) {
        this.sim = sim;
        this.random = random;
        this.check = check;
        this.lockNanos = lockNanos;
        this.alone = random.nextBoolean();
    }

    /** @param deliveries how often others have had it */
    void append(TopicPartition id, int bytes, int deliveries) {
        List<Slot> log = logs.computeIfAbsent(id, none -> new ArrayList<>());
        log.add(new Slot(id, log.size(), new byte[bytes], deliveries));
        serve();
    }

    int lockMillis() {
        return (int) (lockNanos / 1_000_000);
    }

    Stream<Slot> slots() {
        return logs.values().stream().flatMap(List::stream);
    }

    Slot slot(TopicPartition id, long offset) {
        return logs.get(id).get((int) offset);
    }

    // ---------------------------------------------------------------- requests

    /** Answers at once when there is something, else when there is, or after a while. */
    void fetch(String member, int most, Consumer<List<ConsumerRecord<byte[], byte[]>>> answer) {
        List<ConsumerRecord<byte[], byte[]>> found = acquire(member, most);
        if (!found.isEmpty() || most == 0) {
            answer.accept(found);
            return;
        }
        Waiting one = new Waiting(member, most, answer);
        waiting.add(one);
        sim.clock().schedule(FETCH_WAIT, () -> {
            if (waiting.remove(one)) {
                answer.accept(List.of());
            }
        });
    }

    private void serve() {
        for (Waiting one : List.copyOf(waiting)) {
            List<ConsumerRecord<byte[], byte[]>> found = acquire(one.member, one.most);
            if (!found.isEmpty()) {
                waiting.remove(one);
                one.answer.accept(found);
            }
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> acquire(String member, int most) {
        List<ConsumerRecord<byte[], byte[]>> acquired = new ArrayList<>();
        List<List<Slot>> shuffled = new ArrayList<>(logs.values());
        Collections.shuffle(shuffled, random);
        for (List<Slot> log : shuffled) {
            int here = 0;
            for (Slot slot : log) {
                boolean suspicious = alone && slot.deliveries >= MOST_DELIVERIES - 2;
                if (acquired.size() == most || (suspicious && here > 0)) {
                    break;
                }
                if (slot.state == State.AVAILABLE) {
                    slot.deliveries++;
                    slot.holder = member;
                    slot.state = State.ACQUIRED;
                    lock(slot);
                    acquired.add(slot.record());
                    here++;
                    if (suspicious) {
                        break;
                    }
                }
            }
        }
        return acquired;
    }

    private void lock(Slot slot) {
        long lock = ++locks;
        slot.lock = lock;
        slot.lockedNanos = sim.clock().nanoTime();
        sim.clock().schedule(Duration.ofNanos(lockNanos), () -> {
            if (slot.lock == lock && slot.state == State.ACQUIRED) {
                sim.trace().event("expired", slot);
                check.expires(slot);
                release(slot);
                serve();
            }
        });
    }

    /** All that is said of a partition, or nothing; returns why not. */
    @Nullable
    RuntimeException acknowledge(String member, TopicPartition id, Map<Long, AcknowledgeType> acks) {
        for (long offset : acks.keySet()) {
            if (!slot(id, offset).isHeldBy(member)) {
                return new InvalidRecordStateException("simulated: " + slot(id, offset));
            }
        }
        acks.forEach((offset, type) -> {
            Slot slot = slot(id, offset);
            switch (type) {
                case ACCEPT -> slot.state = State.ACKNOWLEDGED;
                case REJECT -> slot.state = State.ARCHIVED;
                case RELEASE -> release(slot);
                case RENEW -> lock(slot);
            }
        });
        serve();
        return null;
    }

    private void release(Slot slot) {
        boolean last = slot.deliveries >= MOST_DELIVERIES;
        slot.state = last ? State.ARCHIVED : State.AVAILABLE;
        if (last) {
            sim.trace().event("archived", slot);
        }
    }

    /** The member's session is over: it has no locks any more. */
    void end(String member) {
        waiting.removeIf(one -> one.member.equals(member));
        slots().filter(slot -> slot.isHeldBy(member)).forEach(this::release);
        serve();
    }

    /** It waits for nothing any more. */
    void leave(String member) {
        waiting.removeIf(one -> one.member.equals(member));
    }
}
