package dev.laneway.stream;

import dev.laneway.engine.handle.AckHandle;
import dev.laneway.stream.runtime.StageRuntime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** One stream from its source to its commits, with random stages. */
final class StreamLine {
    /** An element fails. */
    static final class Hopeless extends RuntimeException {
        private static final long serialVersionUID = 1;

        Hopeless(String message) {
            super(message, null, false, false);
        }
    }

    private final StreamMember member;
    private final StreamWorld world;
    private final SplittableRandom random;
    private final String name;
    private final @Nullable AckHandle feed;
    private final List<StreamTap<?>> taps = new ArrayList<>();
    private final List<String> stages = new ArrayList<>();
    private StreamCheck.Order order = StreamCheck.Order.PARTITION;

    /** @param feed the partition that it delivers; null for all partitions of the member */
    StreamLine(StreamMember member, String name, @Nullable AckHandle feed) {
        this.member = member;
        this.world = member.world;
        this.random = world.random;
        this.name = name;
        this.feed = feed;
    }

    @Nullable
    AckHandle feed() {
        return feed;
    }

    void run(Source<CommittableRecord<byte[], byte[]>> source) {
        StreamCheck.Sequence first = new StreamCheck.Sequence(order);
        Source<CommittableRecord<byte[], byte[]>> stream = source.via(tap("source", record -> {
            world.sim.trace().event("deliver", name, record);
            member.delivers(record);
            if (feed != null && !feed.equals(record.delivered())) {
                member.breach("B68 the stream of " + feed.partition() + " has " + record + " of another assignment");
            }
            inOrder(first, record);
        }));
        for (int count = 1 + random.nextInt(3); count > 0; count--) {
            stream = stage(stream);
        }
        CommitterSettings settings = new CommitterSettings(
                1 + random.nextInt(random.nextBoolean() ? 5 : 100),
                Duration.ofMillis(10 + random.nextInt(1_500)),
                1 + random.nextInt(3));
        stages.add(settings.toString());
        StageRuntime machine = new StageRuntime(member.feeder.threads(), member::alarm, random);
        Source<Acknowledgeable> ends = stream.map(record -> {
            world.check.acknowledges(record);
            return switch (random.nextInt(4)) {
                case 0 -> record;
                case 1 -> record.offset();
                case 2 -> record.map(raw -> raw);
                default -> OffsetBatch.of(List.of(record.offset()));
            };
        });
        world.sim.trace().event("line", name, stages);
        ends.via(new CommitterStage<Acknowledgeable>(settings, true, machine))
                .via(tap("end", member::confirmed))
                .subscribe(new Demand());
    }

    private <T> StreamTap<T> tap(String place, java.util.function.Consumer<T> look) {
        StreamTap<T> tap = new StreamTap<>(member, name + " " + place, look);
        taps.add(tap);
        return tap;
    }

    private void inOrder(StreamCheck.Sequence sequence, CommittableRecord<byte[], byte[]> record) {
        String why = sequence.why(record);
        if (why != null) {
            member.breach(why + " in " + this);
        }
    }

    private Source<CommittableRecord<byte[], byte[]>> stage(Source<CommittableRecord<byte[], byte[]>> above) {
        int parallelism = 1 + random.nextInt(8);
        Source<CommittableRecord<byte[], byte[]>> staged = switch (random.nextInt(5)) {
            case 0 -> map(above);
            case 1 -> above.mapAsync(parallelism, new Calls("mapAsync", parallelism)::later);
            case 2 -> unordered(above, parallelism);
            default -> byKey(above, parallelism);
        };
        StreamCheck.Sequence sequence = new StreamCheck.Sequence(order);
        return staged.via(tap("after " + stages.getLast(), record -> inOrder(sequence, record)));
    }

    private Source<CommittableRecord<byte[], byte[]>> map(Source<CommittableRecord<byte[], byte[]>> above) {
        stages.add("map");
        return above.map(record -> {
            member.pause();
            perhapsFail(record);
            return record;
        });
    }

    private Source<CommittableRecord<byte[], byte[]>> unordered(
            Source<CommittableRecord<byte[], byte[]>> above, int parallelism) {
        order = StreamCheck.Order.NONE;
        return above.mapAsyncUnordered(parallelism, new Calls("mapAsyncUnordered", parallelism)::later);
    }

    private Source<CommittableRecord<byte[], byte[]>> byKey(
            Source<CommittableRecord<byte[], byte[]>> above, int parallelism) {
        if (order == StreamCheck.Order.PARTITION) {
            order = StreamCheck.Order.KEY;
        }
        Calls calls = new Calls("mapByKey", parallelism);
        int reserve = parallelism * (1 + random.nextInt(20));
        return above.via(
                new KeyedMapping<>(parallelism, reserve, StreamCheck::key, calls::inTurn, member.feeder.threads()));
    }

    private void perhapsFail(CommittableRecord<byte[], byte[]> record) {
        if (!world.isCalm() && random.nextDouble() < world.failureRate) {
            world.sim.trace().event("fail", name, record);
            throw new Hopeless(record.toString());
        }
    }

    private Duration time() {
        long most = world.isCalm() ? 20_000_000 : world.group.slowest().toNanos();
        return Duration.ofNanos(random.nextLong(random.nextInt(4) == 0 ? most : most / 20));
    }

    /** The calls of one stage. */
    private final class Calls {
        private final int most;
        private final Set<Object> keys = new HashSet<>();
        private final StreamCheck.Sequence sequence = new StreamCheck.Sequence(order);
        private int running;

        Calls(String stage, int most) {
            this.most = most;
            stages.add(stage + "(" + most + ")");
        }

        private void begins(CommittableRecord<byte[], byte[]> record) {
            if (++running > most) {
                member.breach("B66 " + running + " calls at once in " + StreamLine.this);
            }
            inOrder(sequence, record);
        }

        /** Answers later, in any order. */
        CompletionStage<CommittableRecord<byte[], byte[]>> later(CommittableRecord<byte[], byte[]> record) {
            begins(record);
            perhapsFail(record);
            CompletableFuture<CommittableRecord<byte[], byte[]>> answer = new CompletableFuture<>();
            if (random.nextInt(4) == 0) {
                running--;
                answer.complete(record);
                return answer;
            }
            Duration time = time();
            member.feeder.threads().execute(() -> {
                world.sim.pass(time);
                running--;
                try {
                    perhapsFail(record);
                    answer.complete(record);
                } catch (Hopeless failure) {
                    answer.completeExceptionally(failure);
                }
            });
            return answer;
        }

        /** Answers when it returns. */
        CommittableRecord<byte[], byte[]> inTurn(CommittableRecord<byte[], byte[]> record) throws InterruptedException {
            begins(record);
            if (!keys.add(StreamCheck.key(record))) {
                member.breach("B18 two calls at once for the key of " + record + " in " + StreamLine.this);
            }
            try {
                world.sim.sleep(time());
                perhapsFail(record);
                return record;
            } finally {
                keys.remove(StreamCheck.key(record));
                running--;
            }
        }
    }

    boolean isEnded() {
        return taps.getLast().isEnded();
    }

    /** Requests batches at random. */
    private final class Demand implements Flow.Subscriber<OffsetBatch> {
        private boolean over;

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            if (random.nextInt(4) == 0) {
                subscription.request(Long.MAX_VALUE);
                return;
            }
            member.feeder.threads().execute(() -> {
                while (!over && !member.feeder.isDead()) {
                    subscription.request(1 + random.nextInt(world.isCalm() ? 100 : 5));
                    world.sim.pass(Duration.ofMillis(1 + random.nextInt(world.isCalm() ? 100 : 500)));
                }
            });
        }

        @Override
        public void onNext(OffsetBatch batch) {
            member.pause();
        }

        @Override
        public void onError(Throwable cause) {
            over = true;
            member.failed(cause);
        }

        @Override
        public void onComplete() {
            over = true;
        }
    }

    @Override
    public String toString() {
        return name + stages + (isEnded() ? " ended" : "");
    }
}
