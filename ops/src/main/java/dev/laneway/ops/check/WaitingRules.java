package dev.laneway.ops.check;

import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.Map;

/** Whether something else than the group's own work holds it back: Kafka, or another service. */
final class WaitingRules {
    private static final String MEMBERS =
            "give the members' processes: --pid for one on this machine, --jmx or --prometheus for others";
    /**
     * What a thread of Kafka Streams waits in while its consumer or producer has the word, KIP-761 without its faults.
     */
    private static final List<String> CONSUMER_WAITS = List.of("commit-sync-time-ns-total", "committed-time-ns-total");

    private static final List<String> PRODUCER_WAITS = List.of(
            "bufferpool-wait-time-ns-total",
            "flush-time-ns-total",
            "txn-init-time-ns-total",
            "txn-begin-time-ns-total",
            "txn-send-offsets-time-ns-total",
            "txn-commit-time-ns-total",
            "txn-abort-time-ns-total");

    private WaitingRules() {}

    static List<Rule> all() {
        return List.of(Rule.of(RuleId.C4, WaitingRules::kafka), Rule.of(RuleId.C5, WaitingRules::external));
    }

    private static Finding kafka(Observations seen, Thresholds thresholds) {
        if (!ClientPicture.of(seen).isSeen()
                && seen.all(ClientPicture.PRODUCER, "request-latency-avg").isEmpty()) {
            return Finding.unknown(RuleId.C4, "no member told how long it waits for Kafka", MEMBERS);
        }
        double most = thresholds.of(Threshold.THROTTLE_MILLIS);
        double share = thresholds.of(Threshold.BLOCKED_SHARE);
        FindingBuilder finding = new FindingBuilder(RuleId.C4)
                .threshold("at most " + Figures.number(most) + " ms of throttling, less than " + Figures.percent(share)
                        + " of the time in waiting for Kafka, less than "
                        + Figures.percent(thresholds.of(Threshold.PRODUCER_SHARE)) + " for a producer");
        Series throttled = worst(
                seen,
                List.of(
                        Metric.of(ClientPicture.FETCHER, "fetch-throttle-time-avg"),
                        Metric.of(ClientPicture.PRODUCER, "produce-throttle-time-avg")));
        if (throttled != null && throttled.last() > most) {
            finding.evidence(
                    throttled.metric() + " (" + throttled.source() + "): " + Figures.number(throttled.last()) + " ms");
            return finding.observed("throttled for " + Figures.number(throttled.last()) + " ms on average")
                    .fail(
                            Cause.THROTTLED,
                            Confidence.HIGH,
                            "The brokers delay client " + throttled.metric().tag("client-id") + " by "
                                    + Figures.number(throttled.last()) + " ms a request: it is over its quota.",
                            "Raise the client's or user's quota, or send and fetch less (compression, smaller records);"
                                    + " more instances share the same quota.");
        }
        Series blocked = blocked(seen);
        double blockedShare = blocked == null ? 0 : blocked.rate() / 1e9;
        Series latency = worst(seen, List.of(Metric.of(ClientPicture.PRODUCER, "request-latency-avg")));
        if (latency != null) {
            finding.evidence(
                    latency.metric() + " (" + latency.source() + "): " + Figures.number(latency.last()) + " ms");
        }
        if (blocked != null) {
            finding.evidence(blocked.metric() + " (" + blocked.source() + "): " + Figures.percent(blockedShare)
                    + " of the time");
        }
        ProducerWait waits = ProducerWait.of(seen);
        if (!waits.whose().isEmpty()) {
            finding.evidence(
                    waits.whose() + ": " + Figures.percent(waits.share()) + " of the time in waiting for a producer");
        }
        boolean isBlocked = waits.share() > thresholds.of(Threshold.PRODUCER_SHARE);
        // Who does not wait for answers does not care how late they are.
        boolean isLate = latency != null && latency.last() > thresholds.of(Threshold.SEND_MILLIS) && !waits.runs();
        if (isBlocked || isLate) {
            String millis = latency == null ? "" : Figures.number(latency.last()) + " ms";
            return finding.observed(Figures.percent(waits.share()) + " of the time in waiting for a producer"
                            + (millis.isEmpty() ? "" : ", the brokers answer a send after " + millis + " on average"))
                    .fail(
                            Cause.SLOW_ACKS,
                            isBlocked ? Confidence.HIGH : Confidence.MEDIUM,
                            (isBlocked
                                            ? "A thread waits for its producer's acknowledgements for "
                                                    + Figures.percent(waits.share()) + " of its time"
                                            : "Sends wait for their acknowledgements, and who waits for them as long")
                                    + (millis.isEmpty() ? "." : ": they come after " + millis + " on average."),
                            "Send without waiting for each answer, and flush less often; then look at the brokers"
                                    + " (disk, replication, min.insync.replicas, network). More instances do not make"
                                    + " answers faster.");
        }
        if (blocked != null && blockedShare > share) {
            return finding.observed(Figures.percent(blockedShare) + " of the time in "
                            + blocked.metric().name())
                    .fail(
                            Cause.KAFKA_BOUND,
                            Confidence.MEDIUM,
                            "A thread of " + blocked.source() + " spends " + Figures.percent(blockedShare)
                                    + " of its time in " + blocked.metric().name() + ".",
                            "Commit less often and in larger batches, and look at the brokers' request times; more"
                                    + " instances make more requests.");
        }
        return finding.observed(
                        (throttled == null ? "no throttling" : Figures.number(throttled.last()) + " ms of throttling")
                                + ", " + Figures.percent(blockedShare) + " of the time in one call at most")
                .fine();
    }

    private static @org.jspecify.annotations.Nullable Series worst(Observations seen, List<Metric> names) {
        Series worst = null;
        for (Metric name : names) {
            for (Series series : seen.all(name.group(), name.name())) {
                if (worst == null || series.last() > worst.last()) {
                    worst = series;
                }
            }
        }
        return worst;
    }

    /** The call to Kafka in which a client's thread spends most of its time. */
    private static @org.jspecify.annotations.Nullable Series blocked(Observations seen) {
        Series most = null;
        for (Map.Entry<String, List<String>> group : Map.of(
                        ClientPicture.CONSUMER, CONSUMER_WAITS, ClientPicture.PRODUCER, PRODUCER_WAITS)
                .entrySet()) {
            for (String name : group.getValue()) {
                for (Series series : seen.all(group.getKey(), name)) {
                    boolean isCounted = !series.metric().tag("client-id").contains("restore-consumer")
                            && !Double.isNaN(series.rate());
                    if (isCounted && (most == null || series.rate() > most.rate())) {
                        most = series;
                    }
                }
            }
        }
        return most;
    }

    private static Finding external(Observations seen, Thresholds thresholds) {
        ClientPicture clients = ClientPicture.of(seen);
        double most = thresholds.of(Threshold.EXTERNAL_SHARE);
        FindingBuilder finding = new FindingBuilder(RuleId.C5)
                .threshold("less than " + Figures.percent(most) + " of the threads' time in calls to something else");
        double worst = -1;
        String whose = "";
        for (String source : clients.sources()) {
            double share = clients.externalShare(source).orElse(-1);
            if (share >= 0) {
                finding.evidence(source + ": " + Figures.percent(share)
                        + " of the stack samples of consuming threads wait in a call that is not Kafka's");
            }
            if (share > worst) {
                worst = share;
                whose = source;
            }
        }
        if (worst < 0) {
            return Finding.unknown(
                    RuleId.C5,
                    "nobody looked at the threads' stacks",
                    "give the members' processes by --pid or --jmx: their threads' stacks are sampled");
        }
        finding.observed(Figures.percent(worst) + " of the time at most");
        if (worst > most) {
            return finding.fail(
                    Cause.EXTERNAL_CALL,
                    Confidence.MEDIUM,
                    "Consuming threads of " + whose + " wait in a call to another service for " + Figures.percent(worst)
                            + " of their time.",
                    "Look at that service first. If it takes more calls at once, handle records in parallel (Laneway"
                            + " does, in order by key); more instances only add more calls.");
        }
        return finding.fine();
    }
}
