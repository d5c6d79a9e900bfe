package dev.laneway.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Kafka's own consumer for tests, but for commits, which a test answers when and how it likes; notes what it is told.
 */
public final class HandConsumer extends MockConsumer<byte[], byte[]> {
    /** A commit on its way. */
    public record Sent(
            Map<TopicPartition, OffsetAndMetadata> offsets,
            OffsetCommitCallback callback,
            Map<TopicPartition, OffsetAndMetadata> stored) {
        public void answer(Exception failure) {
            if (failure == null) {
                stored.putAll(offsets);
            }
            callback.onComplete(offsets, failure);
        }

        public long offset(TopicPartition id) {
            return offsets.get(id).offset();
        }

        public String metadata(TopicPartition id) {
            return offsets.get(id).metadata();
        }
    }

    /** Commits of both kinds, in the order they were made. */
    public final List<Map<TopicPartition, OffsetAndMetadata>> commits = new ArrayList<>();

    public final Deque<Sent> unanswered = new ArrayDeque<>();
    /** What the next synchronous commits fail with, and the next asynchronous ones that are waited for. */
    public final Deque<RuntimeException> failures = new ArrayDeque<>();

    /** What the next waits for asynchronous commits end with. */
    public final Deque<RuntimeException> waits = new ArrayDeque<>();

    /** What the next calls that send an asynchronous commit throw, with nothing sent. */
    public final Deque<RuntimeException> refusals = new ArrayDeque<>();

    /** What the next waits for asynchronous commits end with once all that a test knows of are answered. */
    public final Deque<RuntimeException> longWaits = new ArrayDeque<>();

    /** Calls of pause and resume, such as "pause orders-0 orders-1". */
    final List<String> told = new ArrayList<>();

    /** What the broker keeps. */
    private final Map<TopicPartition, OffsetAndMetadata> stored = new HashMap<>();

    /** How many records the client knows of that were not fetched. */
    private final Map<TopicPartition, Long> lags = new HashMap<>();

    /** A topic that the broker does not know. */
    public String unknown = "";

    int wakeups;
    /** Runs in each poll, pause, resume and commit. */
    Runnable called = () -> {};

    /** How often it was asked for a lag. */
    int lagsAsked;

    public HandConsumer() {
        super(AutoOffsetResetStrategy.EARLIEST.name());
    }

    @Override
    public synchronized void commitAsync(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        called.run();
        RuntimeException thrown = refusals.poll();
        if (thrown != null) {
            throw thrown;
        }
        commits.add(Map.copyOf(offsets));
        unanswered.add(new Sent(Map.copyOf(offsets), callback, stored));
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration limit) {
        if (offsets.isEmpty()) {
            answerAll();
            return;
        }
        commits.add(Map.copyOf(offsets));
        RuntimeException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
        stored.putAll(offsets);
    }

    /** As another member would. */
    public void othersCommit(TopicPartition partition, long offset) {
        stored.put(partition, new OffsetAndMetadata(offset));
    }

    private void answerAll() {
        RuntimeException ended = waits.poll();
        if (ended != null) {
            throw ended;
        }
        for (Sent sent = unanswered.poll(); sent != null; sent = unanswered.poll()) {
            boolean known =
                    sent.offsets.keySet().stream().noneMatch(id -> id.topic().equals(unknown));
            sent.answer(known ? failures.poll() : new UnknownTopicOrPartitionException());
        }
        RuntimeException others = longWaits.poll();
        if (others != null) {
            throw others;
        }
    }

    @Override
    public synchronized Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, Duration limit) {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        ids.forEach(id -> committed.put(id, stored.get(id))); // As Kafka's, null where there is none.
        return committed;
    }

    /** As the latest fetch would tell it. */
    void lag(TopicPartition partition, long lag) {
        lags.put(partition, lag);
    }

    @Override
    public synchronized OptionalLong currentLag(TopicPartition partition) {
        lagsAsked++;
        Long lag = lags.get(partition);
        return lag == null ? OptionalLong.empty() : OptionalLong.of(lag);
    }

    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration wait) {
        called.run();
        return super.poll(wait);
    }

    @Override
    public synchronized void pause(Collection<TopicPartition> partitions) {
        called.run();
        told.add(words("pause", partitions));
        super.pause(partitions);
    }

    @Override
    public synchronized void resume(Collection<TopicPartition> partitions) {
        called.run();
        told.add(words("resume", partitions));
        super.resume(partitions);
    }

    @Override
    public synchronized void wakeup() {
        wakeups++;
    }

    private static String words(String what, Collection<TopicPartition> partitions) {
        return what + " "
                + partitions.stream()
                        .map(TopicPartition::toString)
                        .collect(Collectors.toCollection(TreeSet::new))
                        .stream()
                        .collect(Collectors.joining(" "));
    }
}
