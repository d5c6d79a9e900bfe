package dev.laneway.bench.workload;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Replays a {@link ReplayLog} from memory without allocating, so that Kafka's client is not measured. Kafka's own mock
 * keeps assignment and commits. Polling, which is too slow there and never waits, is replaced: partitions take turns,
 * paused ones return nothing, a poll without records waits as a real one does, and commits are answered in the next
 * poll. Used by one thread, except {@link #wakeup}.
 */
final class ReplayConsumer extends MockConsumer<byte[], byte[]> {
    private final ReplayLog log;
    private final int[] nextChunks;
    private final boolean[] paused;
    private final Semaphore wakeups = new Semaphore(0);
    private final Deque<Runnable> answers = new ArrayDeque<>();
    private int turn;

    ReplayConsumer(ReplayLog log) {
        super("earliest");
        this.log = log;
        List<TopicPartition> ids = log.ids();
        this.nextChunks = new int[ids.size()];
        this.paused = new boolean[ids.size()];
        Map<TopicPartition, Long> beginnings = new HashMap<>();
        Map<TopicPartition, Long> ends = new HashMap<>();
        for (TopicPartition id : ids) {
            beginnings.put(id, 0L);
            ends.put(id, log.end(id.partition()));
        }
        updateBeginningOffsets(beginnings);
        updateEndOffsets(ends);
    }

    /** One that has all partitions. */
    static ReplayConsumer assigned(ReplayLog log) {
        ReplayConsumer consumer = new ReplayConsumer(log);
        consumer.assign(log.ids());
        return consumer;
    }

    // Not synchronized, unlike in its parent: it waits, and wakeup comes from other threads.
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        answer();
        throwIfWoken(0);
        for (int i = 0; i < paused.length; i++) {
            turn = turn + 1 < paused.length ? turn + 1 : 0;
            List<ConsumerRecords<byte[], byte[]>> chunks = log.chunks(turn);
            if (!paused[turn] && nextChunks[turn] < chunks.size()) {
                return chunks.get(nextChunks[turn]++);
            }
        }
        throwIfWoken(timeout.toNanos());
        return ConsumerRecords.empty();
    }

    private void answer() {
        while (!answers.isEmpty()) {
            answers.removeFirst().run();
        }
    }

    private void throwIfWoken(long waitNanos) {
        try {
            if (wakeups.tryAcquire(waitNanos, TimeUnit.NANOSECONDS)) {
                wakeups.drainPermits();
                throw new WakeupException();
            }
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // The semaphore is thread-safe.
    public void wakeup() {
        wakeups.release();
    }

    @Override
    public synchronized void pause(Collection<TopicPartition> partitions) {
        super.pause(partitions);
        partitions.forEach(id -> paused[id.partition()] = true);
    }

    @Override
    public synchronized void resume(Collection<TopicPartition> partitions) {
        super.resume(partitions);
        partitions.forEach(id -> paused[id.partition()] = false);
    }

    /** To the start of a chunk; Kafka's mock makes a commit at 0 where there is none, and that is sought. */
    @Override
    public synchronized void seek(TopicPartition partition, long offset) {
        if (offset % ReplayLog.CHUNK != 0) {
            throw new UnsupportedOperationException("cannot replay from " + partition + "@" + offset
                    + ": polls begin at multiples of " + ReplayLog.CHUNK);
        }
        super.seek(partition, offset);
        nextChunks[partition.partition()] = Math.toIntExact(offset / ReplayLog.CHUNK);
    }

    @Override
    public synchronized void commitAsync(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        super.commitAsync(offsets, null);
        answers.addLast(() -> callback.onComplete(offsets, null));
    }

    /** Like a real one, it first answers what was sent before. */
    @Override
    public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration limit) {
        answer();
        super.commitSync(offsets, limit);
    }

    @Override
    public OptionalLong currentLag(TopicPartition partition) {
        long position =
                Math.min(log.end(partition.partition()), (long) nextChunks[partition.partition()] * ReplayLog.CHUNK);
        return OptionalLong.of(log.end(partition.partition()) - position);
    }
}
