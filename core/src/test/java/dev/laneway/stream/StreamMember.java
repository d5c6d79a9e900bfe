package dev.laneway.stream;

import dev.laneway.BrokerException;
import dev.laneway.engine.FeedingConsumer;
import dev.laneway.engine.handle.AckHandle;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.StreamFeed;
import dev.laneway.engine.handle.StreamOutlet;
import dev.laneway.engine.handle.StreamReader;
import dev.laneway.engine.sim.SimFeeder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Flow;
import java.util.function.LongPredicate;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** A process with a stream in it, or with one for each partition: source, stages, commits. */
final class StreamMember implements SimFeeder.Watch {
    private static final int MOST_PAUSE_NANOS = 20_000_000;
    private static final int MOST_WAIT_NANOS = 1_000_000_000;

    final StreamWorld world;
    final String name;
    final int slot;
    final SimFeeder feeder;
    private final boolean partitioned;
    private final ConsumerControl control = new ConsumerControl(Duration.ofSeconds(5));
    private final List<StreamLine> lines = new ArrayList<>();
    private final Set<TopicPartition> owned = new HashSet<>();
    private final Map<TopicPartition, StreamFeed> feeds = new HashMap<>();

    StreamMember(StreamWorld world, String name, int slot) {
        this.world = world;
        this.name = name;
        this.slot = slot;
        this.partitioned = world.partitioned;
        this.feeder = world.group.member(name, slot, this);
    }

    // ---------------------------------------------------------------- its life

    /** Reads a value, and fails now and then, as a deserialiser with a registry does. */
    private byte[] read(byte[] data) {
        if (!world.isCalm() && world.random.nextDouble() < world.unreadableRate) {
            throw new TimeoutException("what reads the records has no answer");
        }
        return data;
    }

    /** In virtual time. */
    Runnable alarm(long nanos, Runnable call) {
        boolean[] forgotten = new boolean[1];
        feeder.threads().execute(() -> {
            if (!world.sim.await(() -> forgotten[0], Duration.ofNanos(nanos))) {
                call.run();
            }
        });
        return () -> forgotten[0] = true;
    }

    /** As {@link KafkaSource} does. */
    void start() {
        world.sim.trace().event("start", name);
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.of(
                        Map.of(), new ByteArrayDeserializer(), (topic, data) -> read(data))
                .withName(name)
                .withBufferRecords(world.group.bufferRecords())
                .withBufferBytes(world.group.bufferBytes())
                .withDrainLimit(world.group.drainLimit())
                .withBrokerLimit(Duration.ofSeconds(10))
                .withCloseLimit(Duration.ofSeconds(5));
        StreamReader<byte[], byte[]> reader = settings.reader(world.random);
        if (partitioned) {
            PartitionedSource<byte[], byte[], CommittableRecord<byte[], byte[]>> stage = new PartitionedSource<>(
                    reader,
                    (record, feed) -> new CommittableRecord<>(record, feed, ""),
                    control,
                    outlet -> feed(settings, outlet),
                    feeder.threads(),
                    this::alarm);
            StreamTap<PartitionStream<CommittableRecord<byte[], byte[]>>> tap =
                    new StreamTap<>(this, name + " partitions", stream -> {});
            NoUpstream.source(stage, control).via(tap).subscribe(new Partitions());
        } else {
            MergedSource<byte[], byte[], CommittableRecord<byte[], byte[]>> stage = new MergedSource<>(
                    reader,
                    (record, feed) -> new CommittableRecord<>(record, feed, ""),
                    control,
                    outlet -> feed(settings, outlet),
                    feeder.threads(),
                    this::alarm);
            line(NoUpstream.source(stage, control), null);
        }
    }

    private FeedingConsumer feed(ConsumerSettings<byte[], byte[]> settings, StreamOutlet outlet) {
        StreamOutlet watched = new StreamOutlet() {
            @Override
            public void opened(StreamFeed feed) {
                feeds.put(feed.partition(), feed);
                outlet.opened(feed);
            }

            @Override
            public void ended(@Nullable Throwable failure) {
                outlet.ended(failure);
            }

            @Override
            public String fullStages() {
                return outlet.fullStages();
            }
        };
        return feeder.feed(settings.launch(
                Subscription.topics(world.group.topics()),
                new HandlerSpec.Streaming(watched, HandlerSpec.Streaming.Kind.COMMITTABLE)));
    }

    private void line(Source<CommittableRecord<byte[], byte[]>> source, @Nullable AckHandle feed) {
        StreamLine line = new StreamLine(this, name + "/" + lines.size(), feed);
        lines.add(line);
        line.run(source);
    }

    void stop() {
        world.sim.trace().event("stop", name);
        control.stop();
    }

    void kill() {
        world.sim.trace().event("kill", name);
        feeder.kill();
    }

    boolean isEnded() {
        return feeder.isDead() || control.isShutdown();
    }

    /** Whether its streams have ended for their subscribers. */
    boolean isThrough() {
        return feeder.isDead() || lines.stream().allMatch(StreamLine::isEnded);
    }

    /** Whether the streams of partitions that it does not have any more have ended. */
    boolean hasLeft() {
        return feeder.isDead()
                || lines.stream().allMatch(line -> line.feed() == null || isCurrent(line.feed()) || line.isEnded());
    }

    /**
     * An element has failed, and with it a stream. Its partition is not read any more, so another process must start.
     */
    void failed(Throwable cause) {
        if (!feeder.isDead()) {
            boolean explained = cause instanceof StreamLine.Hopeless || cause instanceof BrokerException;
            if (!explained) {
                breach(new AssertionError("a stream of " + name + " failed without reason: " + cause, cause));
            }
            stop();
        }
    }

    // ---------------------------------------------------------------- checks

    void breach(String what) {
        breach(new AssertionError(what + " (" + name + ")"));
    }

    private void breach(AssertionError what) {
        if (!feeder.isDead()) {
            world.check.breach(what);
        }
    }

    /** Lets others go on, sometimes for a while. */
    void pause() {
        if (!world.sim.scheduler().inTask()) {
            return;
        }
        int kind = world.random.nextInt(world.isCalm() ? 200 : 40);
        if (kind < 8) {
            world.sim.yieldNow();
        } else if (kind == 8) {
            try {
                boolean isLong = !world.isCalm() && world.random.nextInt(4) == 0;
                world.sim.sleep(
                        Duration.ofNanos(1 + world.random.nextInt(isLong ? MOST_WAIT_NANOS : MOST_PAUSE_NANOS)));
            } catch (InterruptedException stray) {
                breach("B47 a stage was interrupted");
            }
        }
    }

    /** The source delivers it. */
    void delivers(CommittableRecord<byte[], byte[]> record) {
        if (feeder.isDead()) {
            return;
        }
        if (!owned.contains(record.partition()) || !isCurrent(record.delivered())) {
            breach("B68 " + name + " delivers " + record + " of a partition that it gives up");
        }
        if (feeder.isClosing()) {
            breach("B72 " + name + " delivers " + record + " after its end");
        }
    }

    boolean isCurrent(@Nullable AckHandle feed) {
        return feed != null && feed.equals(feeds.get(feed.partition()));
    }

    /** A batch was emitted: its offsets are committed, or their partition was given up. */
    void confirmed(OffsetBatch batch) {
        if (feeder.isDead() || feeder.isClosing() || isEnded()) {
            return;
        }
        for (Offset offset : batch.offsets()) {
            if (isCurrent(offset.delivered()) && !world.check.isStored(offset.partition(), offset.offset())) {
                breach("B70 " + name + " confirms " + offset.partition() + "@" + offset.offset()
                        + ", which is not committed");
            }
        }
    }

    // ---------------------------------------------------------------- what the group does

    @Override
    public void assigned(Collection<TopicPartition> ids) {
        owned.addAll(ids);
    }

    @Override
    public void revoking(Collection<TopicPartition> ids) {
        owned.removeAll(ids);
    }

    @Override
    public void gone(Collection<TopicPartition> ids) {
        ids.forEach(feeds::remove);
    }

    @Override
    public void commits(TopicPartition id, long offset, LongPredicate isDone) {
        world.check.commits(name, id, feeds.get(id), offset, isDone);
    }

    @Override
    public void ended(@Nullable Throwable failure) {
        world.sim.trace().event("ended", name, failure == null ? "" : failure.getClass());
        if (failure != null && !(failure instanceof BrokerException)) {
            breach(new AssertionError(name + " failed without reason: " + failure, failure));
        }
        feeds.clear();
    }

    /** Requests streams of partitions at random. */
    private final class Partitions implements Flow.Subscriber<PartitionStream<CommittableRecord<byte[], byte[]>>> {
        private boolean over;

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            feeder.threads().execute(() -> {
                while (!over && !feeder.isDead()) {
                    subscription.request(1 + world.random.nextInt(3));
                    world.sim.pass(Duration.ofMillis(1 + world.random.nextInt(300)));
                }
            });
        }

        @Override
        public void onNext(PartitionStream<CommittableRecord<byte[], byte[]>> stream) {
            if (feeder.isDead()) {
                return;
            }
            // Its own partition, which may already have been given up: then the stream ends at once.
            StreamFeed feed = ((PartitionSource<?, ?, ?>) stream.source().control()).feed();
            boolean twice = lines.stream().anyMatch(line -> feed.equals(line.feed()));
            if (twice) {
                breach("B68 " + name + " opens a second stream of " + stream.partition());
            }
            line(stream.source(), feed);
        }

        @Override
        public void onError(Throwable cause) {
            over = true;
            failed(cause);
        }

        @Override
        public void onComplete() {
            over = true;
        }
    }

    String describe() {
        StringBuilder text = new StringBuilder(feeder.describe());
        lines.forEach(line -> text.append("\n    ").append(line));
        return text.toString();
    }

    @Override
    public String toString() {
        return name;
    }
}
