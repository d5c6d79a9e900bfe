package dev.laneway.engine.runtime;

import dev.laneway.Health;
import dev.laneway.LanewayObserver;
import dev.laneway.LanewayObserver.Attempt;
import dev.laneway.Options;
import dev.laneway.State;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the user's observers for one member. What they throw ends here. A call on the owner's thread is a
 * {@link ListenerCall}, which health tells of and a close interrupts. Never called under a guard. Where there is no
 * observer there is none of these: whoever has something to tell has a null, and asks no clock.
 *
 * <p>Thread-safe; each method is for the threads that {@link LanewayObserver} names.
 */
public final class ObserverCalls {
    private static final Logger log = LoggerFactory.getLogger(ObserverCalls.class);
    private static final LanewayObserver[] NONE = {};

    private final Host host;
    private final String member;
    private final HealthConditions conditions;
    private final ListenerCall call = new ListenerCall("the observer's");
    private final HealthConditions.Subject subject =
            new HealthConditions.Subject(Health.Cause.STUCK_MEMBER, "observer", call);
    /** By method: made once, since records are fetched thousands of times a second. */
    private final ConcurrentMap<String, String> reasons = new ConcurrentHashMap<>();

    private final ConcurrentMap<String, LogLimiter> limits = new ConcurrentHashMap<>();
    /** The owner's thread, once it has begun. */
    private volatile @Nullable Thread owner;
    /** Set before any thread of the member starts. */
    private LanewayObserver[] observers = NONE;

    private boolean agentTraces;

    private ObserverCalls(Host host, String member, HealthConditions conditions) {
        this.host = host;
        this.member = member;
        this.conditions = conditions;
    }

    /** Null where the options name no observer, and no agent traces Kafka's clients. */
    public static @Nullable ObserverCalls of(Host host, Options options, String member, HealthConditions conditions) {
        return options.observers().isEmpty() && !TracedRecords.areTraced()
                ? null
                : new ObserverCalls(host, member, conditions);
    }

    /** From now on these are told. Before the member starts. */
    public void begin(List<LanewayObserver> all) {
        observers = all.toArray(NONE);
    }

    /** The spans of attempts are left to an agent. Before the member starts. */
    public void leaveToAgent() {
        agentTraces = true;
    }

    /** The observer that keeps the owner, if one does. */
    public ListenerCall call() {
        return call;
    }

    /** For what is told with a duration. */
    public long nanoTime() {
        return host.nanoTime();
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(Math.max(0, host.nanoTime() - nanos));
    }

    // ---------------------------------------------------------------- attempts

    /** What hears of the end; null where nobody wants to. */
    public @Nullable ObservedAttempt attemptStarted(
            ConsumerRecord<byte[], byte[]> record, int number, boolean follows) {
        ObservedAttempt all = null;
        for (LanewayObserver observer : observers) {
            try {
                all = with(all, observer.attemptStarted(record, number, follows));
            } catch (Throwable failure) {
                failed("attemptStarted", failure);
            }
        }
        return all;
    }

    /** As {@link #attemptStarted}. */
    public @Nullable ObservedAttempt batchStarted(List<ConsumerRecord<byte[], byte[]>> records) {
        ObservedAttempt all = null;
        for (LanewayObserver observer : observers) {
            try {
                all = with(all, observer.batchStarted(records));
            } catch (Throwable failure) {
                failed("batchStarted", failure);
            }
        }
        return all;
    }

    private @Nullable ObservedAttempt with(@Nullable ObservedAttempt before, @Nullable Attempt more) {
        return more == null ? before : new ObservedAttempt(this, before, more);
    }

    /** Whether an agent that traces Kafka's clients makes the spans of a batch's records. */
    public boolean agentTraces() {
        return agentTraces;
    }

    void attemptFailed(ConsumerRecord<byte[], byte[]> record, int number, Throwable cause) {
        tell("attemptFailed", observer -> observer.attemptFailed(record, number, cause));
    }

    void retryScheduled(ConsumerRecord<byte[], byte[]> record, int number, Duration delay, @Nullable Throwable cause) {
        tell("retryScheduled", observer -> observer.retryScheduled(record, number, delay, cause));
    }

    void skipped(TopicPartition partition, long offset, @Nullable Throwable cause) {
        tell("skipped", observer -> observer.skipped(partition, offset, cause));
    }

    void deadLettered(TopicPartition partition, long offset, String topic) {
        tell("deadLettered", observer -> observer.deadLettered(partition, offset, topic));
    }

    // ---------------------------------------------------------------- the owner

    void fetched(TopicPartition partition, List<? extends ConsumerRecord<?, ?>> records) {
        long first = records.getFirst().offset();
        long last = records.getLast().offset();
        tellByOwner("fetched", observer -> observer.fetched(partition, first, last, records.size()));
    }

    void late(long results) {
        tellByOwner("late", observer -> observer.late(results));
    }

    void dropped(TopicPartition partition, int records) {
        tellByOwner("dropped", observer -> observer.dropped(partition, records));
    }

    void spilled(long records) {
        tellByOwner("spilled", observer -> observer.spilled(records));
    }

    void refilled(long records) {
        tellByOwner("refilled", observer -> observer.refilled(records));
    }

    /** The same callback, which tells of the answer when the engine has acted on it. */
    public OffsetCommitCallback telling(Map<TopicPartition, OffsetAndMetadata> sent, OffsetCommitCallback callback) {
        long sentNanos = host.nanoTime();
        return (offsets, failure) -> {
            callback.onComplete(offsets, failure);
            Duration took = since(sentNanos);
            tellByOwner("committed", observer -> observer.committed(sent, took, failure));
        };
    }

    public void transactionEnded(Collection<TopicPartition> partitions, long begunNanos, @Nullable Exception failure) {
        Duration took = since(begunNanos);
        tellByOwner("transactionEnded", observer -> observer.transactionEnded(partitions, took, failure));
    }

    public void assigned(Collection<TopicPartition> partitions, long begunNanos) {
        Duration took = since(begunNanos);
        tellByOwner("assigned", observer -> observer.assigned(partitions, took));
    }

    public void revoked(Collection<TopicPartition> partitions, long begunNanos) {
        Duration took = since(begunNanos);
        tellByOwner("revoked", observer -> observer.revoked(partitions, took));
    }

    public void lost(Collection<TopicPartition> partitions, long begunNanos) {
        Duration took = since(begunNanos);
        tellByOwner("lost", observer -> observer.lost(partitions, took));
    }

    void stateChanged(State state) {
        owner = Thread.currentThread();
        tellByOwner("stateChanged", observer -> observer.stateChanged(member, state));
    }

    /** The end of all members; of one of these only, since all members have the same observers. */
    public void ended(@Nullable Throwable cause) {
        tellByOwner("ended", observer -> observer.ended(cause));
    }

    /** Nothing is told any more. */
    public void close() {
        observers = NONE;
    }

    // ---------------------------------------------------------------- whatever they do

    /** On any thread; some of these events may be the owner's, too. */
    private void tell(String what, Consumer<LanewayObserver> event) {
        if (Thread.currentThread().equals(owner)) {
            tellByOwner(what, event);
        } else {
            tellAll(what, event);
        }
    }

    private void tellAll(String what, Consumer<LanewayObserver> event) {
        for (LanewayObserver observer : observers) {
            try {
                event.accept(observer);
            } catch (Throwable failure) {
                failed(what, failure);
            }
        }
    }

    private void tellByOwner(String what, Consumer<LanewayObserver> event) {
        conditions.begin(subject, Health.Status.DOWN, reasons.computeIfAbsent(what, ObserverCalls::reason));
        call.begin(what);
        tellAll(what, event);
        boolean interrupted = call.end();
        conditions.end(subject);
        if (interrupted) {
            log.warn("the observer's {} was interrupted by the close", what);
        }
    }

    private static String reason(String what) {
        return "the observer's " + what + " has not returned, so nothing is fetched or committed: look for what it"
                + " waits for";
    }

    void failed(String what, Throwable failure) {
        long withheld = limits.computeIfAbsent(what, _ -> new LogLimiter(host)).withheld();
        if (withheld >= 0) {
            log.warn(
                    "the observer's {} failed, which changes nothing else: mend it ({} more were not logged)",
                    what,
                    withheld,
                    failure);
        }
    }
}
