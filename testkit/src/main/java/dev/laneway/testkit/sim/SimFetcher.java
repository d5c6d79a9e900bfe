package dev.laneway.testkit.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Fetches as Kafka's client does from one broker. One fetch at a time asks for every fetchable partition; none is sent
 * while the buffer has something that a poll may return. The cluster holds the fetch until there is data or
 * {@code fetch.max.wait.ms} has passed. Polls return one partition's chunk after another. A chunk of a paused partition
 * is kept (KAFKA-7548); one that no longer fits the position is dropped.
 */
final class SimFetcher {
    private final SimBroker broker;
    private final SimConsumerConfig config;
    private final SimConnection connection;
    private final SimSubscription subscription;
    private final Deque<Chunk> chunks = new ArrayDeque<>();
    private @Nullable CompletableFuture<Answer> underWay;
    private long bytesFetched;
    private long bytesConsumed;
    private long recordsConsumed;
    private long fetches;

    /** The offset from which a partition is requested, and the epoch of the record before it; -1 if there is none. */
    private record Wanted(long offset, int epoch) {}

    /**
     * What came for one partition; {@code slice} is null if the log has no such offset, or was cut below it since that
     * was read.
     */
    private static final class Chunk {
        final TopicPartition partition;
        final SimLog.@Nullable Slice slice;
        /**
         * The end of the part of the log that was read before a cut; null if it was not cut, or nothing of it is left.
         */
        final SimLog.@Nullable EpochEnd cut;

        long nextOffset;
        int nextRecord;

        Chunk(TopicPartition partition, long offset, SimLog.@Nullable Slice slice, SimLog.@Nullable EpochEnd cut) {
            this.partition = partition;
            this.nextOffset = offset;
            this.slice = slice;
            this.cut = cut;
        }
    }

    /** @param ends where the logs ended that were asked for */
    private record Answer(List<Chunk> chunks, Map<TopicPartition, Long> ends) {}

    SimFetcher(SimBroker broker, SimConsumerConfig config, SimConnection connection, SimSubscription subscription) {
        this.broker = broker;
        this.config = config;
        this.connection = connection;
        this.subscription = subscription;
    }

    long bytesFetched() {
        return bytesFetched;
    }

    long bytesConsumed() {
        return bytesConsumed;
    }

    long recordsConsumed() {
        return recordsConsumed;
    }

    long fetches() {
        return fetches;
    }

    /** Whether a poll would have something to process without waiting. */
    boolean hasNews() {
        CompletableFuture<Answer> fetch = underWay;
        return (fetch != null && fetch.isDone()) || hasChunkToReturn();
    }

    private boolean hasChunkToReturn() {
        return chunks.stream().anyMatch(chunk -> subscription.isFetchable(chunk.partition));
    }

    void retain(Set<TopicPartition> partitions) {
        chunks.removeIf(chunk -> !partitions.contains(chunk.partition));
    }

    /** Sends a fetch unless one is in flight or no partition is fetchable. */
    void send() {
        if (underWay != null || hasChunkToReturn()) {
            return;
        }
        Map<TopicPartition, Wanted> wanted = new LinkedHashMap<>();
        for (TopicPartition partition : subscription.partitions()) {
            if (subscription.isFetchable(partition)
                    && chunks.stream().noneMatch(chunk -> chunk.partition.equals(partition))) {
                SimSubscription.State state = subscription.get(partition);
                wanted.put(partition, new Wanted(state.position(), state.lastEpoch()));
            }
        }
        if (!wanted.isEmpty()) {
            underWay = connection.call(SimOp.FETCH, () -> new LongPoll(wanted).start());
        }
    }

    /** Takes the answer of a fetch, if there is one. */
    void receive() {
        CompletableFuture<Answer> fetch = underWay;
        if (fetch == null || !fetch.isDone()) {
            return;
        }
        underWay = null;
        if (!fetch.isCompletedExceptionally()) {
            fetches++;
            Answer came = fetch.resultNow();
            came.ends().forEach((partition, end) -> {
                SimSubscription.State state = subscription.find(partition);
                if (state != null) {
                    state.endsAt(end);
                }
            });
            for (Chunk chunk : came.chunks()) {
                bytesFetched += chunk.slice == null ? 0 : chunk.slice.bytes();
                if (subscription.find(chunk.partition) != null) {
                    chunks.add(chunk);
                }
            }
        }
    }

    /** Returns up to {@code max.poll.records} records and moves the positions after them; null if there are none. */
    @Nullable
    ConsumerRecords<byte[], byte[]> collect() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> nextOffsets = new LinkedHashMap<>();
        List<Chunk> kept = new ArrayList<>();
        int room = config.maxPollRecords();
        while (room > 0 && !chunks.isEmpty()) {
            Chunk chunk = chunks.peek();
            SimSubscription.State state = subscription.find(chunk.partition);
            if (state != null && state.isPaused()) {
                kept.add(chunks.remove());
            } else if (state == null
                    || !subscription.isFetchable(chunk.partition)
                    || state.position() != chunk.nextOffset) {
                chunks.remove();
            } else if (chunk.slice == null) {
                if (!records.isEmpty()) {
                    break;
                }
                chunks.remove();
                if (chunk.cut == null) {
                    outOfRange(chunk, state);
                } else {
                    wasCut(chunk, state, chunk.cut);
                }
            } else {
                room -= drain(chunk, chunk.slice, state, room, records, nextOffsets);
            }
        }
        chunks.addAll(kept);
        return nextOffsets.isEmpty() ? null : new ConsumerRecords<>(records, nextOffsets);
    }

    private int drain(
            Chunk chunk,
            SimLog.Slice slice,
            SimSubscription.State state,
            int room,
            Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records,
            Map<TopicPartition, OffsetAndMetadata> nextOffsets) {
        int from = chunk.nextRecord;
        int to = Math.min(slice.records().size(), from + room);
        boolean all = to == slice.records().size();
        long next = all ? slice.nextOffset() : slice.records().get(to - 1).offset() + 1;
        Optional<Integer> epoch = all
                ? Optional.of(slice.lastEpoch())
                : slice.records().get(to - 1).leaderEpoch();
        if (to > from) {
            records.computeIfAbsent(chunk.partition, p -> new ArrayList<>())
                    .addAll(slice.records().subList(from, to));
        }
        for (int i = from; i < to; i++) {
            bytesConsumed += slice.sizes().get(i);
        }
        recordsConsumed += to - from;
        chunk.nextRecord = to;
        chunk.nextOffset = next;
        if (next > state.position()) {
            state.advance(next, epoch);
            nextOffsets.put(chunk.partition, new OffsetAndMetadata(next, epoch, ""));
        }
        if (all) {
            chunks.remove(chunk);
            subscription.moveToEnd(chunk.partition);
        }
        return to - from;
    }

    private void outOfRange(Chunk chunk, SimSubscription.State state) {
        if (config.reset().kind() == SimConsumerConfig.Reset.Kind.NONE) {
            throw new OffsetOutOfRangeException(
                    "Fetch position " + state.position() + " is out of range for partition " + chunk.partition,
                    Map.of(chunk.partition, state.position()));
        }
        state.requestReset(config.reset());
    }

    /**
     * Like Kafka's client, goes on at the point from which the leader's log differs from the one that was read
     * (KIP-320).
     */
    private void wasCut(Chunk chunk, SimSubscription.State state, SimLog.EpochEnd cut) {
        if (config.reset().kind() == SimConsumerConfig.Reset.Kind.NONE) {
            throw new LogTruncationException(
                    Map.of(chunk.partition, state.position()),
                    Map.of(chunk.partition, new OffsetAndMetadata(cut.offset(), Optional.of(cut.epoch()), "")));
        }
        state.seek(cut.offset(), Optional.of(cut.epoch()));
    }

    /** A fetch that the cluster holds until there is data or its time has passed. */
    private final class LongPoll {
        private final Map<TopicPartition, Wanted> wanted;
        private final CompletableFuture<Answer> answer = new CompletableFuture<>();

        LongPoll(Map<TopicPartition, Wanted> wanted) {
            this.wanted = wanted;
        }

        CompletableFuture<Answer> start() {
            if (!look()) {
                broker.onLogChange(this::look);
                broker.clock().schedule(config.fetchMaxWaitNanos(), this::giveUp);
            }
            return answer;
        }

        /** Answers if it can; returns whether it is finished. */
        private boolean look() {
            if (!answer.isDone()
                    && wanted.entrySet().stream().anyMatch(entry -> isReady(entry.getKey(), entry.getValue()))) {
                answer.complete(readAll());
            }
            return answer.isDone();
        }

        private void giveUp() {
            if (!answer.isDone()) {
                answer.complete(readAll());
            }
        }

        private boolean isReady(TopicPartition partition, Wanted from) {
            SimLog log = broker.ledLog(partition);
            return log != null && (isOutside(log, from) || log.hasDataAt(from.offset(), config.readCommitted()));
        }

        private static boolean isOutside(SimLog log, Wanted from) {
            return from.offset() < log.startOffset() || from.offset() > log.endOffset() || isCut(log, from);
        }

        private static boolean isCut(SimLog log, Wanted from) {
            if (from.epoch() < 0 || from.epoch() == log.leaderEpoch()) {
                return false; // A client asks only after a change of the leader.
            }
            SimLog.EpochEnd end = log.endOfEpoch(from.epoch());
            return end == null || end.offset() < from.offset();
        }

        private Answer readAll() {
            List<Chunk> read = new ArrayList<>();
            Map<TopicPartition, Long> ends = new LinkedHashMap<>();
            int room = config.fetchMaxBytes();
            for (Map.Entry<TopicPartition, Wanted> entry : wanted.entrySet()) {
                TopicPartition partition = entry.getKey();
                Wanted from = entry.getValue();
                long offset = from.offset();
                SimLog log = broker.ledLog(partition);
                if (log != null) {
                    ends.put(partition, log.limit(config.readCommitted()));
                }
                if (log == null || !isReady(partition, from)) {
                    continue;
                }
                if (isOutside(log, from)) {
                    boolean isCut = offset >= log.startOffset() && isCut(log, from);
                    read.add(new Chunk(partition, offset, null, isCut ? log.endOfEpoch(from.epoch()) : null));
                } else if (room > 0) {
                    int most = Math.min(room, config.maxPartitionFetchBytes());
                    // As in Kafka, the first record of an answer may exceed the limits.
                    boolean isFirst = room == config.fetchMaxBytes();
                    SimLog.Slice slice = log.read(offset, most, config.readCommitted(), isFirst);
                    if (slice.bytes() > 0) {
                        room -= slice.bytes();
                        read.add(new Chunk(partition, offset, slice, null));
                    }
                }
            }
            broker.trace().event("fetched", config.clientId(), read.size(), config.fetchMaxBytes() - room);
            return new Answer(read, ends);
        }
    }
}
