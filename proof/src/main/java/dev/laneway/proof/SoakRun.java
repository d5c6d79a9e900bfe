package dev.laneway.proof;

import dev.laneway.Laneway;
import dev.laneway.Ordering;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Audit;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.LiveView;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.ParallelRun;
import dev.laneway.cli.workload.Payload;
import dev.laneway.cli.workload.Progress;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/**
 * Gives a consumer a steady load for a long time, lets a second member come and go, and looks for what grows.
 * {@link #run} is called once.
 */
final class SoakRun {
    private static final Duration TICK = Duration.ofMillis(20);
    private static final Duration LINES = Duration.ofSeconds(10);
    private static final Duration STALL_LIMIT = Duration.ofSeconds(60);
    private static final double CAPACITY_SECONDS = 8;
    private static final long LEAST_CAPACITY_RECORDS = 2_000;
    private static final long MOST_CAPACITY_RECORDS = 400_000;
    private static final int SLACK_SECONDS = 600;
    private static final int HEARTBEAT_MS = 200;
    private static final long SEED = 42;

    private final SoakPlan plan;
    private final Map<String, Object> kafkaConfig;
    private final Cluster cluster;
    private final String topic;
    private final PrintStream text;
    private final Stop stop;
    private final ParallelRun.Guard guard;
    private final Runnable eachRound;

    /**
     * A soak on a cluster.
     *
     * @param topic the input; the other topics and the groups begin with its name
     * @param eachRound done at the end of each round
     */
    SoakRun(
            SoakPlan plan,
            Map<String, Object> kafkaConfig,
            Cluster cluster,
            String topic,
            PrintStream text,
            Stop stop,
            ParallelRun.Guard guard,
            Runnable eachRound) {
        this.plan = plan;
        this.kafkaConfig = kafkaConfig;
        this.cluster = cluster;
        this.topic = topic;
        this.text = text;
        this.stop = stop;
        this.guard = guard;
        this.eachRound = eachRound;
    }

    /** The topics that it makes, and whose names its groups have too. */
    static List<String> names(String topic) {
        return List.of(topic, letters(topic), trial(topic));
    }

    private static String letters(String topic) {
        return topic + "-letters";
    }

    private static String trial(String topic) {
        return topic + "-trial";
    }

    /** Returns null if it was stopped before its end, since half a soak proves nothing. */
    @Nullable
    SoakResult run() throws InterruptedException {
        double capacity = capacity();
        if (stop.isRequested()) {
            return null;
        }
        double rate = Math.max(1, Math.floor(capacity * SoakPlan.LOAD));
        text.println("Capacity " + Text.rate(capacity) + " records/s; the load is " + Text.rate(rate) + " for "
                + Text.duration(plan.duration()) + ", a second member joins and leaves every "
                + Text.duration(plan.round()));
        for (String name : List.of(topic, letters(topic))) {
            cluster.ensureTopic(name, plan.partitions());
        }
        return soak(capacity, rate);
    }

    /** What the same consumer does without failures when there is always enough to do. */
    private double capacity() throws InterruptedException {
        String trial = trial(topic);
        cluster.ensureTopic(trial, plan.partitions());
        ParallelRun.Setup probe = setup(trial, 0);
        long records = (long) Math.clamp(
                probe.littleRate(plan.keys(), plan.partitions()) * CAPACITY_SECONDS,
                LEAST_CAPACITY_RECORDS,
                MOST_CAPACITY_RECORDS);
        new Loader(kafkaConfig, new Loader.Plan(trial, records, plan.keys(), 0, Payload.LEAST_BYTES, 0))
                .run(stop::isRequested);
        Audit audit = new Audit(Ordering.KEY, records, plan.keys(), plan.partitions());
        return new ParallelRun(kafkaConfig, setup(trial, records), audit)
                .run(stop, guard)
                .rate();
    }

    private ParallelRun.Setup setup(String trial, long records) {
        return new ParallelRun.Setup(trial, trial, records, Ordering.KEY, plan.concurrency(), 1, plan.work());
    }

    private @Nullable SoakResult soak(double capacity, double rate) throws InterruptedException {
        long most = (long) (rate * (plan.duration().toSeconds() + SLACK_SECONDS));
        Loader loader =
                new Loader(kafkaConfig, new Loader.Plan(topic, most, plan.keys(), 0, Payload.LEAST_BYTES, (long) rate));
        SoakHandler handler = new SoakHandler(plan, most, rate, loader::startedNanos);
        Stop enough = new Stop();
        CompletableFuture<Loader.Result> loading = new CompletableFuture<>();
        long planned = (long) (rate * plan.duration().toNanos() / 1e9);
        Laneway first = member("soak-1", handler);
        try (LiveView _ = LiveView.lines(
                text, "soak", LINES, () -> Progress.of(Math.min(planned, handler.finished()), planned))) {
            Thread.ofPlatform().name("laneway-load").daemon().start(() -> load(loader, enough, loading));
            List<SoakRound> rounds = rounds(handler, first, loading);
            enough.request();
            long produced = produced(loading);
            if (stop.isRequested()) {
                return null;
            }
            boolean stalled = !awaitAll(first, handler, produced);
            boolean committed = awaitCommits();
            first.close();
            long letters = cluster.endOffsets(letters(topic), plan.partitions()).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            return new SoakResult(
                    plan,
                    capacity,
                    rate,
                    produced,
                    handler,
                    letters,
                    first.snapshot().counters(),
                    List.copyOf(rounds),
                    committed,
                    stalled,
                    first.failure());
        } finally {
            enough.request();
            first.close();
        }
    }

    private Laneway member(String name, SoakHandler handler) {
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, topic);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        // A member learns with its next heartbeat that another one has come or gone. With Kafka's 3 s the latencies
        // would depend on when in that time a round begins.
        config.putIfAbsent(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MS);
        return Laneway.consumer(config)
                .subscribe(topic)
                .name(name)
                .ordering(Ordering.KEY)
                .concurrency(plan.concurrency())
                .onFailure(plan.failurePolicy(letters(topic)))
                .closeOnShutdown(false)
                .process(handler);
    }

    private static void load(Loader loader, Stop enough, CompletableFuture<Loader.Result> loading) {
        try {
            loading.complete(loader.run(enough::isRequested));
        } catch (RuntimeException failed) {
            loading.completeExceptionally(failed);
        }
    }

    private static long produced(CompletableFuture<Loader.Result> loading) {
        try {
            return loading.join().records();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof VerbFailure told ? told : failed;
        }
    }

    /** Round by round: a second member joins, works, and leaves; then samples are taken. */
    private List<SoakRound> rounds(SoakHandler handler, Laneway first, CompletableFuture<Loader.Result> loading)
            throws InterruptedException {
        List<SoakRound> rounds = new ArrayList<>();
        SoakProbe probe = new SoakProbe(handler);
        long start = System.nanoTime();
        long length = plan.round().toNanos();
        // So that rounds and heartbeats keep the same phase; a drift would look like slow growth.
        SplittableRandom chance = new SplittableRandom(SEED);
        for (int round = 0; round < plan.rounds(); round++) {
            long begins = start + round * length;
            try (Laneway second = member("soak-2", handler)) {
                waitUntil(begins + (long) (length * (0.4 + 0.2 * chance.nextDouble())), second, loading);
            }
            if (!waitUntil(begins + length, first, loading)) {
                return rounds;
            }
            SoakRound seen = probe.look((System.nanoTime() - start) / 1e9);
            rounds.add(seen);
            text.println(seen.line());
            eachRound.run();
        }
        return rounds;
    }

    /** Waits; false when the soak was stopped. */
    private boolean waitUntil(long nanos, Laneway member, CompletableFuture<Loader.Result> loading)
            throws InterruptedException {
        while (System.nanoTime() - nanos < 0) {
            if (stop.await(TICK)) {
                return false;
            }
            guard.check();
            member.failure().ifPresent(failure -> {
                throw new VerbFailure("a member failed: " + failure.getMessage(), failure);
            });
            if (loading.isCompletedExceptionally()) {
                produced(loading);
            }
        }
        return true;
    }

    private boolean awaitAll(Laneway first, SoakHandler handler, long produced) throws InterruptedException {
        long finished = handler.finished();
        long moved = System.nanoTime();
        while (handler.finished() < produced) {
            if (stop.await(TICK) || first.state().isTerminal()) {
                return false;
            }
            if (handler.finished() != finished) {
                finished = handler.finished();
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > STALL_LIMIT.toNanos()) {
                return false;
            }
        }
        return true;
    }

    private boolean awaitCommits() throws InterruptedException {
        long start = System.nanoTime();
        while (!cluster.isAllCommitted(topic, topic, plan.partitions())) {
            if (stop.await(TICK) || System.nanoTime() - start > STALL_LIMIT.toNanos()) {
                return false;
            }
        }
        return true;
    }
}
