package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.jspecify.annotations.Nullable;

/** The connection of one share consumer: one request at a time, as Kafka's client has it, and what happens to it. */
final class SimShareLink {
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(2);

    /** What happens to one request. */
    enum Fault {
        NONE,
        /** The broker never sees it. */
        LOST,
        /** The broker does what it says, and the answer gets lost. */
        ANSWER_LOST,
        /** The connection breaks before the broker sees it. */
        DISCONNECTED,
        /** The broker refuses what is acknowledged. */
        REFUSED,
        /** It comes late. */
        LATE,
        /** The answer comes late. */
        ANSWER_LATE
    }

    /** How often what happens. Immutable. */
    record Faults(double rate, List<Fault> kinds, long latencyNanos, long lateNanos) {
        static final Faults NONE = new Faults(0, List.of(), 0, 0);

        Fault next(SplittableRandom random) {
            return kinds.isEmpty() || random.nextDouble() >= rate
                    ? Fault.NONE
                    : kinds.get(random.nextInt(kinds.size()));
        }
    }

    /**
     * What the client says.
     *
     * @param most how many records it wants; negative when it does not fetch
     */
    record Request(Map<TopicPartition, Map<Long, AcknowledgeType>> acks, int most, Consumer<Answer> done) {}

    /**
     * What comes of it.
     *
     * @param failures of acknowledgements, by partition
     */
    record Answer(Map<TopicPartition, RuntimeException> failures, List<ConsumerRecord<byte[], byte[]>> records) {}

    private final Simulation sim;
    private final SplittableRandom random;
    private final SimShareWorld world;
    private final String member;
    private final Deque<Request> queue = new ArrayDeque<>();
    private @Nullable Request current;
    private boolean dead;
    /** Whether something has happened to the request that is on its way. */
    private boolean inTrouble;

    private long troubledNanos = -1;

    SimShareLink(SimShareWorld world, String member) {
        this.world = world;
        this.sim = world.sim;
        this.random = world.random.split();
        this.member = member;
    }

    void send(Request request) {
        queue.add(request);
        next();
    }

    /** Whether faults have kept it from its brokers since then. */
    boolean isTroubledSince(long nanos) {
        return inTrouble || troubledNanos >= nanos;
    }

    /** Another disturbance than those of requests. */
    void trouble() {
        troubledNanos = sim.clock().nanoTime();
    }

    /** Whether nothing waits for an answer. */
    boolean isIdle() {
        return current == null && queue.isEmpty();
    }

    void die() {
        dead = true;
        queue.clear();
    }

    private void next() {
        if (current != null || queue.isEmpty() || dead) {
            return;
        }
        Request request = queue.remove();
        current = request;
        SimShareLink.Faults faults = world.linkFaults();
        Fault fault = world.isAway() ? Fault.LOST : faults.next(random);
        if (fault != Fault.NONE) {
            inTrouble = true;
            sim.trace().event("fault", member, fault, request.acks, request.most);
        }
        long there = latency(faults) + (fault == Fault.LATE ? late(faults) : 0);
        long back = latency(faults) + (fault == Fault.ANSWER_LATE ? late(faults) : 0);
        sim.clock().schedule(REQUEST_TIMEOUT, () -> {
            if (request.equals(current)) {
                inTrouble = true;
                breaks();
                complete(request, failed(request, new TimeoutException("simulated")));
            }
        });
        sim.clock().schedule(Duration.ofNanos(there), () -> arrives(request, fault, back));
    }

    private void arrives(Request request, Fault fault, long backNanos) {
        switch (fault) {
            case LOST -> {}
            case DISCONNECTED -> {
                breaks();
                complete(request, failed(request, new DisconnectException("simulated")));
            }
            case REFUSED -> answer(request, failed(request, new UnknownServerException("simulated")), backNanos);
            case NONE, ANSWER_LOST, LATE, ANSWER_LATE -> {
                Map<TopicPartition, RuntimeException> failures = new HashMap<>();
                request.acks.forEach((id, acks) -> {
                    RuntimeException failure = world.group.acknowledge(member, id, acks);
                    if (failure != null) {
                        failures.put(id, failure);
                    }
                });
                Consumer<List<ConsumerRecord<byte[], byte[]>>> fetched = records -> {
                    if (fault != Fault.ANSWER_LOST) {
                        answer(request, new Answer(failures, records), backNanos);
                    }
                };
                if (request.most < 0) {
                    fetched.accept(List.of());
                } else {
                    world.group.fetch(member, request.most, fetched);
                }
            }
        }
    }

    private void answer(Request request, Answer answer, long backNanos) {
        sim.clock().schedule(Duration.ofNanos(backNanos), () -> complete(request, answer));
    }

    private static Answer failed(Request request, RuntimeException failure) {
        Map<TopicPartition, RuntimeException> failures = new HashMap<>();
        request.acks.keySet().forEach(id -> failures.put(id, failure));
        return new Answer(failures, List.of());
    }

    /** The broker may notice that the connection is gone, and ends the session. */
    private void breaks() {
        if (random.nextBoolean()) {
            world.group.end(member);
        }
    }

    private void complete(Request request, Answer answer) {
        if (!request.equals(current)) {
            return; // The client has given it up.
        }
        current = null;
        if (inTrouble) {
            inTrouble = false;
            trouble();
        }
        if (!dead) {
            request.done.accept(answer);
            next();
        }
    }

    private long latency(Faults faults) {
        return faults.latencyNanos == 0 ? 0 : random.nextLong(faults.latencyNanos);
    }

    private long late(Faults faults) {
        return random.nextLong(faults.lateNanos);
    }
}
