package dev.laneway.engine.commit;

import dev.laneway.Options;
import dev.laneway.engine.HandConsumer;
import dev.laneway.engine.Machine;
import dev.laneway.engine.Records;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A partition with records, and what a committer needs to commit its progress. */
public final class CommitterFixture {
    public static final TopicPartition ID = Records.ORDERS_0;
    static final long INTERVAL_MILLIS = 1_000;
    static final long TIMEOUT_MILLIS = 30_000;
    public static final Duration REFRESH = Duration.ofMinutes(10);

    public final HandHost host = new HandHost();
    public final HandConsumer consumer = new HandConsumer();
    public final Machine machine = new Machine(
            host,
            Options.DEFAULTS,
            new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
            consumer,
            null);
    final Assignment assignment = new Assignment();
    public final List<Throwable> fatal = new ArrayList<>();
    public final CommitSender commits = commits(false);
    public final Partition partition = machine.partition(ID, 0);
    private long appended;

    public CommitterFixture() {
        assignment.add(List.of(partition));
    }

    /** A sender; {@code once} as under the consumer protocol. */
    public CommitSender commits(boolean once) {
        return new CommitSender(
                host,
                consumer,
                assignment,
                new BlockingCalls(host, Duration.ofSeconds(10), Duration.ZERO, until -> until),
                machine.counts,
                Duration.ofSeconds(5),
                REFRESH,
                once,
                OffsetMap.DEFAULT_LIMIT,
                new BrokerRetries(
                        "a commit",
                        Duration.ZERO,
                        new TopicSelection.Topics(List.of("orders")),
                        Duration.ofMinutes(5),
                        host),
                fatal::add);
    }

    public Track track() {
        return partition.track;
    }

    /** More records, each with a key of its own. */
    public void append(int records) {
        List<org.apache.kafka.clients.consumer.ConsumerRecord<byte[], byte[]>> more = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            more.add(Records.record(appended + i, "key-" + (appended + i)));
        }
        appended += records;
        partition.append(new Chunk(more), new OffsetAndMetadata(appended));
    }

    /** More records, all of them done. */
    public void done(int records) {
        append(records);
        machine.handle(track(), records);
    }

    /** More records, of which every first of two goes on and every second is done. */
    public void everySecondDone(int records) {
        append(records);
        for (int i = 0; i < records; i += 2) {
            machine.startLane(track());
            machine.handle(track(), 1);
        }
    }

    public AsyncCommitter async() {
        return new AsyncCommitter(commits, INTERVAL_MILLIS * 1_000_000, TIMEOUT_MILLIS * 1_000_000);
    }

    /** A turn of the committer after some time. */
    public void turn(Committer committer, long millis) {
        host.pass(millis);
        committer.turn(host.nowNanos);
    }
}
