package dev.laneway.engine.start;

import dev.laneway.Health;
import dev.laneway.RestrictedConsumer;
import dev.laneway.StreamException;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Inbox;
import dev.laneway.engine.track.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Where do partitions start whose offsets are kept elsewhere? Whoever keeps them is asked at each assignment, and may
 * take its time: the partitions are paused meanwhile, and the consumer goes on polling. An answer for an assignment
 * that is over counts no more. The owner only.
 */
public final class ExternalOffsets {
    private static final HealthConditions.Subject SUBJECT =
            new HealthConditions.Subject(Health.Cause.NO_START, "start", "offsetsOnAssign");

    private final HandlerSpec.Streaming.OffsetsOnAssign offsets;
    private final Consumer<byte[], byte[]> consumer;
    private final StartOffsets starts;
    private final Inbox inbox;
    private final HealthConditions conditions;
    /** The question that is open for a partition. */
    private final Map<TopicPartition, Integer> open = new HashMap<>();

    private int questions;

    public ExternalOffsets(
            HandlerSpec.Streaming.OffsetsOnAssign offsets,
            Consumer<byte[], byte[]> consumer,
            StartOffsets starts,
            Inbox inbox,
            HealthConditions conditions) {
        this.offsets = offsets;
        this.consumer = consumer;
        this.starts = starts;
        this.inbox = inbox;
        this.conditions = conditions;
    }

    /**
     * Asks where these partitions start.
     *
     * @param restricted what may be asked of the consumer until this returns
     */
    public void ask(RestrictedConsumer restricted, Collection<TopicPartition> ids) {
        if (ids.isEmpty()) {
            return;
        }
        int question = ++questions;
        // Without a position the client would look for one by itself, and fail where the group has none.
        ids.forEach(id -> consumer.seek(id, 0));
        consumer.pause(ids);
        ids.forEach(id -> open.put(id, question));
        tell();
        Set<TopicPartition> asked = Set.copyOf(ids);
        try {
            var _ = offsets.of(restricted, asked)
                    .whenComplete((answer, failure) -> inbox.add(new Event.Located(asked, question, answer, failure)));
        } catch (Throwable thrown) {
            inbox.add(new Event.Located(asked, question, null, thrown));
        }
    }

    /** These are given up. */
    public void forget(Collection<TopicPartition> ids) {
        open.keySet().removeAll(ids);
        tell();
    }

    private void tell() {
        if (open.isEmpty()) {
            conditions.end(SUBJECT);
        } else {
            conditions.begin(
                    SUBJECT,
                    Health.Status.DEGRADED,
                    HealthConditions.few(open.keySet())
                            + " cannot start: offsetsOnAssign has not told where, and none of"
                            + " their records is read before: look for what it waits for");
        }
    }

    /**
     * The partitions that an answer positions.
     *
     * @throws StreamException when it is none
     */
    public List<Partition> located(Event.Located answer) {
        List<Partition> located = new ArrayList<>();
        for (TopicPartition id : answer.partitions()) {
            if (open.remove(id, answer.question())) {
                long offset = offset(id, answer);
                consumer.seek(id, offset);
                located.add(starts.from(id, offset));
            }
        }
        tell();
        return located;
    }

    private static long offset(TopicPartition id, Event.Located answer) {
        Throwable failure = answer.failure();
        if (failure != null) {
            throw new StreamException("offsetsOnAssign failed for " + id + ": mend it, or retry in it", failure);
        }
        @Nullable
        Long offset = answer.offsets() == null ? null : answer.offsets().get(id);
        if (offset == null || offset < 0) {
            throw new StreamException(
                    "offsetsOnAssign gave " + (offset == null ? "no offset" : offset) + " for " + id
                            + " but each partition must start somewhere: give 0 for one that was never read",
                    null);
        }
        return offset;
    }
}
