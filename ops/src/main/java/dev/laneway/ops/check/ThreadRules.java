package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** S4 and C10: whether stream threads live, and where their time goes. */
final class ThreadRules {
    /** Ordinals of the states of a client and of its threads; they differ. */
    private static final double CLIENT_RUNNING = 2;

    static final double THREAD_STOPS = 5;

    private ThreadRules() {}

    /** S4. */
    static Finding alive(Instance instance, Thresholds limits) {
        String source = instance.source();
        OptionalDouble told = instance.sum(StreamsMetric.ALIVE_THREADS);
        if (told.isEmpty()) {
            return Finding.unknown(
                    RuleId.S4,
                    "The number of threads alive in " + source + " is not seen.",
                    "Give " + source + " with --pid or --jmx, and export kafka.streams:type=stream-metrics.");
        }
        double alive = told.getAsDouble();
        double failed = instance.sum(StreamsMetric.FAILED_THREADS).orElse(0);
        double failing = instance.growth(StreamsMetric.FAILED_THREADS);
        double wanted = wanted(instance);
        List<Series> stopping = stopping(instance);
        List<String> evidence = new ArrayList<>();
        instance.all(StreamsMetric.ALIVE_THREADS).forEach(series -> evidence.add(Figures.last(series)));
        instance.all(StreamsMetric.FAILED_THREADS).forEach(series -> evidence.add(Figures.last(series)));
        stopping.forEach(series -> evidence.add(Figures.last(series)));
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.S4,
                        Figures.number(alive)
                                + (wanted > 0 ? " of " + Figures.count(wanted, "thread") : " threads") + " alive in "
                                + source + ", " + Figures.number(failed) + " failed",
                        "all alive, none failed")
                .evidence(evidence);
        String remedy = "Read the exception in the log of " + source
                + " and mend it; until then let the uncaught exception handler answer REPLACE_THREAD.";
        if (alive == 0 || (alive < wanted && failed > 0)) {
            return judged.fail(
                            Figures.number(wanted - alive > 0 ? wanted - alive : failed) + " stream threads of "
                                    + source + " have died: their tasks have no thread, or share the others.",
                            remedy)
                    .because(Cause.DEAD_THREADS, Confidence.HIGH);
        }
        if (failing > 0 || (failed > 0 && wanted == 0) || !stopping.isEmpty()) {
            return judged.warn(
                            (failing > 0
                                            ? Figures.count(failing, "stream thread") + " of " + source
                                                    + " failed while it was watched"
                                            : failed > 0
                                                    ? Figures.count(failed, "stream thread") + " of " + source
                                                            + " failed since its start"
                                                    : Figures.count(stopping.size(), "stream thread") + " of " + source
                                                            + " stops while the client runs")
                                    + ".",
                            remedy)
                    .because(Cause.DEAD_THREADS, failing > 0 ? Confidence.MEDIUM : Confidence.LOW);
        }
        return alive < wanted
                ? judged.warn(
                        Figures.count(wanted - alive, "stream thread") + " of " + source
                                + " fewer than num.stream.threads, and none failed: they were removed, or start.",
                        "Call addStreamThread() in " + source + " if they were not removed on purpose.")
                : judged.fine();
    }

    /** {@code num.stream.threads} of all clients of a process together; 0 if it is not known. */
    private static double wanted(Instance instance) {
        return instance.seen().texts(Groups.CONFIG, "num.stream.threads").stream()
                .filter(text -> text.source().equals(instance.source()) || instance.alone())
                .mapToDouble(text -> text.last().matches("\\d{1,6}") ? Integer.parseInt(text.last()) : 0)
                .sum();
    }

    /** Threads that stop or are dead in a client that runs. */
    private static List<Series> stopping(Instance instance) {
        boolean running =
                instance.all(StreamsMetric.CLIENT_STATE).stream().anyMatch(state -> state.last() == CLIENT_RUNNING);
        return running
                ? instance.all(StreamsMetric.THREAD_STATE).stream()
                        .filter(state -> state.last() >= THREAD_STOPS)
                        .toList()
                : List.of();
    }

    /** C10. */
    static Finding time(Instance instance, Thresholds limits) {
        String source = instance.source();
        Optional<Series> commit = highest(instance, StreamsMetric.COMMIT_RATIO);
        Optional<Series> punctuate = highest(instance, StreamsMetric.PUNCTUATE_RATIO);
        if (commit.isEmpty() || punctuate.isEmpty()) {
            return Finding.unknown(
                    RuleId.C10,
                    "Where the threads of " + source + " spend their time is not seen.",
                    "Give " + source + " with --pid or --jmx, and watch until its threads run.");
        }
        double commits = commit.get().mean();
        double punctuates = punctuate.get().mean();
        double most = limits.of(Threshold.COMMIT_SHARE);
        List<String> evidence = new ArrayList<>();
        for (StreamsMetric ratio : List.of(
                StreamsMetric.PROCESS_RATIO,
                StreamsMetric.POLL_RATIO,
                StreamsMetric.COMMIT_RATIO,
                StreamsMetric.PUNCTUATE_RATIO)) {
            instance.all(ratio).forEach(series -> evidence.add(Figures.last(series)));
        }
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.C10,
                        "a thread of " + source + " spends " + Figures.percent(commits) + " of its time in commits and "
                                + Figures.percent(punctuates) + " in punctuators",
                        "at most " + Figures.percent(most) + " and "
                                + Figures.percent(limits.of(Threshold.PUNCTUATE_SHARE)))
                .evidence(evidence);
        if (commits > most) {
            boolean severe = commits > limits.of(Threshold.COMMIT_SHARE_SEVERE);
            Finding found = judged.bad(
                    severe ? FindingStatus.FAIL : FindingStatus.WARN,
                    "A thread of " + source + " spends " + Figures.percent(commits) + " of its time in commits.",
                    "Raise commit.interval.ms of " + source
                            + " (100 ms with exactly-once), and look at the latency of the brokers.");
            return severe ? found.because(Cause.KAFKA_BOUND, Confidence.MEDIUM) : found;
        }
        return punctuates > limits.of(Threshold.PUNCTUATE_SHARE)
                ? judged.warn(
                        "A thread of " + source + " spends " + Figures.percent(punctuates)
                                + " of its time in punctuators, while no record is processed.",
                        "Let the punctuators of " + source + " do less at a time, or run them more rarely.")
                : judged.fine();
    }

    private static Optional<Series> highest(Instance instance, StreamsMetric metric) {
        return instance.all(metric).stream().max(Comparator.comparingDouble(Series::mean));
    }
}
