package dev.laneway.proof;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.LiveView;
import dev.laneway.cli.workload.Loader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;

/** Lets members consume from a cluster while faults hit both, then checks every record. {@link #run} is called once. */
final class ChaosRun {
    private static final Duration TICK = Duration.ofMillis(50);
    private static final Duration LINES = Duration.ofSeconds(5);
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Duration ASK_LIMIT = Duration.ofSeconds(20);
    private static final Duration HEAL_LIMIT = Duration.ofMinutes(3);
    private static final Duration STALL_LIMIT = Duration.ofSeconds(90);
    private static final Duration END_LIMIT = Duration.ofSeconds(60);

    private final ChaosPlan plan;
    private final Path directory;
    private final PrintStream text;
    private final Stop stop;

    /** @param directory where data, journals and output of all processes go */
    ChaosRun(ChaosPlan plan, Path directory, PrintStream text, Stop stop) {
        this.plan = plan;
        this.directory = directory;
        this.text = text;
        this.stop = stop;
    }

    /** Returns null if it was stopped before its end, since half a run proves nothing. */
    @Nullable
    ChaosResult run() throws InterruptedException {
        long start = System.nanoTime();
        SplittableRandom chance = new SplittableRandom(plan.seed());
        text.println("Starting " + plan.brokers() + " brokers; seed " + plan.seed());
        List<ChaosNode> nodes = ChaosNode.all(plan, new FreePorts(chance.split()), directory);
        try (ChaosNetwork network = new ChaosNetwork(nodes);
                ChaosBrokers brokers = ChaosBrokers.start(plan, nodes, network, directory)) {
            Map<String, Object> config = Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers.bootstrap());
            try (Cluster cluster = Cluster.connect(config, START_LIMIT);
                    ChaosMembers members = new ChaosMembers(plan, directory, bootstraps(brokers, network))) {
                if (!prepare(cluster, brokers)) {
                    return null;
                }
                ChaosCheck.Played played = play(config, brokers, members, network, chance, start);
                if (played == null) {
                    return null;
                }
                text.println("Checking " + Text.count(played.produced()) + " records");
                return new ChaosCheck(plan, config, cluster).result(played);
            }
        }
    }

    private List<String> bootstraps(ChaosBrokers brokers, ChaosNetwork network) {
        return IntStream.rangeClosed(1, plan.members())
                .mapToObj(member -> network.isThere() ? network.bootstrap(member) : brokers.bootstrap())
                .toList();
    }

    /** Returns whether it was not stopped. */
    private boolean prepare(Cluster cluster, ChaosBrokers brokers) throws InterruptedException {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (cluster.brokers() < plan.brokers()) {
            if (stop.await(TICK)) {
                return false;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new VerbFailure("not all brokers serve within " + Text.duration(START_LIMIT)
                        + "; the first says: " + brokers.get(1).lastWords());
            }
        }
        cluster.ensureTopic(ChaosPlan.TOPIC, plan.partitions());
        cluster.ensureTopic(ChaosPlan.COPIES, plan.partitions());
        if (plan.mode() == ChaosPlan.Mode.SHARE) {
            cluster.configureGroup(ChaosPlan.GROUP, "share.auto.offset.reset", "earliest");
        }
        if (plan.hasPassing()) {
            cluster.ensureTopic(ChaosPlan.PASSING, ChaosPlan.PASSING_PARTITIONS);
        }
        return true;
    }

    private ChaosCheck.@Nullable Played play(
            Map<String, Object> config,
            ChaosBrokers brokers,
            ChaosMembers members,
            ChaosNetwork network,
            SplittableRandom chance,
            long start)
            throws InterruptedException {
        Map<String, Object> producing = new HashMap<>(config);
        // Longer than any fault, since records that the producer gives up cannot be checked.
        producing.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.toIntExact(HEAL_LIMIT.toMillis()));
        Loader loader = new Loader(producing, plan.load());
        Stop enough = new Stop();
        FaultLog log = new FaultLog(text);
        for (int number = 1; number <= members.size(); number++) {
            members.start(number);
        }
        CompletableFuture<Loader.Result> loading = new CompletableFuture<>();
        Thread.ofPlatform().name("laneway-load").daemon().start(() -> load(loader, enough, loading));
        try (ChaosWatch watch = ChaosWatch.start(plan, Cluster.connect(config, ASK_LIMIT), loader::acknowledged);
                ChaosLeaders leaders = new ChaosLeaders(plan, Cluster.connect(config, ASK_LIMIT), chance.split(), log);
                ChaosTopics topics = new ChaosTopics(Cluster.connect(config, ASK_LIMIT), chance.split(), log);
                @Nullable PassingLoad passing = plan.hasPassing() ? PassingLoad.start(plan, config) : null;
                LiveView _ = LiveView.lines(text, () -> title(log), LINES, watch::progress)) {
            ChaosFaults faults = new ChaosFaults(plan, chance, brokers, members, network, watch, leaders, topics, log);
            boolean complete = strike(faults, loading) && heal(faults);
            enough.request();
            if (!complete) {
                return null;
            }
            if (passing != null) {
                passing.end();
            }
            long produced = joined(loading).records();
            long loadedMicros = Journal.now();
            boolean stalled = !awaitCommits(watch, faults);
            if (stop.isRequested()) {
                return null;
            }
            boolean allEnded = members.terminateAll(END_LIMIT);
            members.close();
            faults.buryAll();
            return new ChaosCheck.Played(
                    log, faults.failures(), members.lives(), produced, loadedMicros, stalled, allEnded, start);
        } finally {
            enough.request();
        }
    }

    private static String title(FaultLog log) {
        return log.summary().isEmpty() ? "chaos" : "chaos, " + log.summary();
    }

    private static void load(Loader loader, Stop enough, CompletableFuture<Loader.Result> loading) {
        try {
            loading.complete(loader.run(enough::isRequested));
        } catch (RuntimeException failed) {
            loading.completeExceptionally(failed);
        }
    }

    private static Loader.Result joined(CompletableFuture<Loader.Result> loading) {
        try {
            return loading.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof VerbFailure told ? told : failed;
        }
    }

    /** Makes faults for the planned time; returns whether it was not stopped. */
    private boolean strike(ChaosFaults faults, CompletableFuture<Loader.Result> loading) throws InterruptedException {
        long deadline = System.nanoTime() + plan.duration().toNanos();
        while (System.nanoTime() - deadline < 0) {
            if (stop.await(TICK)) {
                return false;
            }
            faults.tick();
            if (loading.isCompletedExceptionally()) {
                joined(loading);
            }
        }
        return true;
    }

    private boolean heal(ChaosFaults faults) throws InterruptedException {
        faults.heal();
        long deadline = System.nanoTime() + HEAL_LIMIT.toNanos();
        while (!faults.isHealed()) {
            if (stop.await(TICK)) {
                return false;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new VerbFailure("members or brokers were not back within " + Text.duration(HEAL_LIMIT));
            }
            faults.tick();
        }
        return true;
    }

    /** Waits until everything that was produced is committed; false if there is no more progress. */
    private boolean awaitCommits(ChaosWatch watch, ChaosFaults faults) throws InterruptedException {
        long since = System.nanoTime();
        long movedNanos = since;
        ChaosWatch.State before = watch.state();
        while (!stop.await(TICK)) {
            faults.tick();
            ChaosWatch.State state = watch.state();
            long now = System.nanoTime();
            if (state.totalLag() != before.totalLag() || state.copied() != before.copied()) {
                movedNanos = now;
            }
            before = state;
            if (state.asOfNanos() - since > 0 && state.totalLag() == 0) {
                return true;
            }
            if (now - movedNanos > STALL_LIMIT.toNanos()) {
                faults.log().say("nothing has moved for " + Text.duration(STALL_LIMIT));
                return false;
            }
        }
        return false;
    }
}
