package dev.laneway.ops;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** One round for one group: from what the cluster says to the lag of each partition. Used by one thread, once. */
final class GroupRound {
    private static final int MOST_PROBED = 16;
    private static final Duration LONGEST_PROBE = Duration.ofSeconds(3);
    private static final String MARKERS_ONLY = "only transaction markers or aborted records are left";
    private static final Comparator<PartitionLag> MOST_FIRST = Comparator.comparingLong(
                    (PartitionLag lag) -> lag.lag() == null ? Long.MAX_VALUE : lag.lag())
            .reversed()
            .thenComparing(lag -> lag.partition().topic())
            .thenComparingInt(lag -> lag.partition().partition());

    private final Admin admin;
    private final LagOptions options;
    private final RecordProbe probe;
    private final GroupFacts facts;
    private final Map<TopicPartition, ReadingWindow> windows;
    private final long nowMillis;
    private final Answers answers;

    GroupRound(
            Admin admin,
            LagOptions options,
            RecordProbe probe,
            GroupFacts facts,
            Map<TopicPartition, ReadingWindow> windows,
            long nowMillis,
            Answers answers) {
        this.admin = admin;
        this.options = options;
        this.probe = probe;
        this.facts = facts;
        this.windows = windows;
        this.nowMillis = nowMillis;
        this.answers = answers;
    }

    GroupLag measure(OffsetBounds bounds) {
        Map<TopicPartition, GroupFacts.Position> positions = facts.known();
        windows.keySet().retainAll(positions.keySet());
        Map<TopicPartition, Reading> readings = new LinkedHashMap<>();
        positions.forEach((id, position) -> readings.put(id, reading(id, position, bounds)));
        Map<TopicPartition, OptionalLong> probed = probe(readings);
        probed.forEach((id, timestamp) -> {
            if (timestamp.isEmpty()) {
                readings.computeIfPresent(id, (_, reading) -> withoutRecords(reading));
            }
        });
        readings.forEach((id, reading) -> window(id).add(reading));
        Map<TopicPartition, LagAge> ages = ages(readings, probed);
        List<PartitionLag> lags = new ArrayList<>(readings.size());
        readings.forEach((id, reading) -> lags.add(lag(id, window(id), ages.get(id))));
        lags.sort(MOST_FIRST);
        return new GroupLag(facts.group(), facts.kind(), facts.state(), facts.members(), lags, facts.problems());
    }

    private Reading reading(TopicPartition id, GroupFacts.Position position, OffsetBounds bounds) {
        Answers.Answer<ListOffsetsResultInfo> start = bounds.start(id);
        Answers.Answer<ListOffsetsResultInfo> end = bounds.end(id);
        ListOffsetsResultInfo first = start.value();
        ListOffsetsResultInfo last = end.value();
        String reason = position.reason();
        if (last == null) {
            reason = answers.reason("end offset", end.failure());
        } else if (first == null) {
            reason = answers.reason("first offset", start.failure());
        }
        return new Reading(
                nowMillis,
                position.committed(),
                first == null ? Reading.UNKNOWN : first.offset(),
                last == null ? Reading.UNKNOWN : last.offset(),
                doneBeyond(id, position),
                position.givenLag(),
                reason);
    }

    private ReadingWindow window(TopicPartition id) {
        return windows.computeIfAbsent(id, _ -> new ReadingWindow());
    }

    /** Metadata that is no map says nothing. */
    private static long doneBeyond(TopicPartition id, GroupFacts.Position position) {
        return CommitMetadata.read(id, position.committed(), position.metadata()).done().stream()
                .mapToLong(CommitMap.Run::length)
                .sum();
    }

    private Reading withoutRecords(Reading reading) {
        return new Reading(reading.atMillis(), reading.committed(), reading.start(), reading.end(), 0, 0, MARKERS_ONLY);
    }

    private Map<TopicPartition, OptionalLong> probe(Map<TopicPartition, Reading> readings) {
        if (probe.equals(RecordProbe.NONE) || facts.kind() == GroupKind.SHARE) {
            return Map.of();
        }
        Map<TopicPartition, Long> offsets = new HashMap<>();
        readings.entrySet().stream()
                .filter(entry -> entry.getValue().lag() > 0)
                // First those whose one offset may be a marker, then those with the most lag.
                .sorted(Comparator.comparingLong(entry -> entry.getValue().lag() == 1
                        ? Long.MIN_VALUE
                        : -entry.getValue().lag()))
                .limit(MOST_PROBED)
                .forEach(entry -> offsets.put(
                        entry.getKey(),
                        Math.max(entry.getValue().committed(), entry.getValue().start())));
        long left = Math.min(LONGEST_PROBE.toMillis(), answers.leftMillis());
        return left <= 0 ? Map.of() : probe.timestamps(offsets, Duration.ofMillis(left));
    }

    private Map<TopicPartition, LagAge> ages(
            Map<TopicPartition, Reading> readings, Map<TopicPartition, OptionalLong> probed) {
        Map<TopicPartition, LagAge> ages = new HashMap<>();
        Map<TopicPartition, Long> offsets = new HashMap<>();
        readings.forEach((id, reading) -> {
            if (reading.lag() == 0) {
                ages.put(id, LagAge.NONE);
            } else if (reading.lag() > 0 && reading.committed() != Reading.UNKNOWN && reading.end() > 0) {
                ReadingWindow window = window(id);
                OptionalLong timestamp = probed.getOrDefault(id, OptionalLong.empty());
                if (timestamp.isPresent()) {
                    double exact = Math.max(0, nowMillis - timestamp.getAsLong()) / 1e3;
                    ages.put(id, new LagAge(exact, exact));
                } else {
                    LagAge seen = LagRules.age(window.known(), reading.committed(), nowMillis);
                    ages.put(id, seen.and(window.remembered(reading.committed(), nowMillis)));
                }
                offsets.put(id, reading.committed());
            }
        });
        if (!offsets.isEmpty()) {
            AgeSearch.narrow(admin, options.isolation(), offsets, ages, nowMillis, answers);
        }
        offsets.forEach(
                (id, committed) -> window(id).remember(committed, nowMillis, ages.getOrDefault(id, LagAge.UNBOUNDED)));
        return ages;
    }

    private PartitionLag lag(TopicPartition id, ReadingWindow window, @Nullable LagAge age) {
        Reading last = window.last();
        List<Reading> known = window.known();
        LagRules.Verdict verdict = verdict(id, last, known);
        boolean isKnown = last.lag() != Reading.UNKNOWN;
        double append = LagRules.rate(known, Reading::end);
        double process = LagRules.rate(known, Reading::committed);
        boolean isBehindStart = isKnown && last.committed() < last.start();
        String evidence = isBehindStart
                ? verdict.evidence() + "; retention has deleted " + (last.start() - last.committed())
                        + " offsets above the committed one"
                : verdict.evidence();
        return new PartitionLag(
                id,
                known(last.committed()),
                known(last.start()),
                known(last.end()),
                known(last.lag()),
                last.committed() == Reading.UNKNOWN && last.end() != Reading.UNKNOWN && last.start() != Reading.UNKNOWN
                        ? (Long) (last.end() - last.start())
                        : null,
                last.doneBeyond(),
                isKnown ? known(append) : null,
                isKnown ? known(process) : null,
                isKnown && known.size() > 1 ? (Double) LagRules.slope(known).perUnit() : null,
                age,
                isKnown ? known(LagRules.secondsToClear(last.lag(), append, process)) : null,
                isKnown ? known(LagRules.expectedLatency(last.lag(), process)) : null,
                verdict.status(),
                evidence,
                last.reason() == null || last.reason().equals(MARKERS_ONLY));
    }

    private LagRules.Verdict verdict(TopicPartition id, Reading last, List<Reading> known) {
        if (last.reason() != null) {
            return new LagRules.Verdict(
                    last.reason().equals(MARKERS_ONLY) ? LagStatus.OK : LagStatus.UNKNOWN, last.reason());
        }
        if (last.lag() == Reading.UNKNOWN) {
            return new LagRules.Verdict(
                    LagStatus.UNKNOWN,
                    "no commit yet: at most " + (last.end() - last.start())
                            + " records wait, by where the consumer starts");
        }
        if (last.committed() > last.end() && facts.kind() != GroupKind.SHARE && isUncommitted()) {
            return new LagRules.Verdict(
                    LagStatus.UNKNOWN,
                    "the committed offset is beyond the end: the topic was made anew, or its log was cut");
        }
        return LagRules.verdict(
                known, !facts.isOwnershipKnown() || facts.owned().contains(id));
    }

    private boolean isUncommitted() {
        return options.isolation() == org.apache.kafka.common.IsolationLevel.READ_UNCOMMITTED;
    }

    private static @Nullable Long known(long value) {
        return value == Reading.UNKNOWN ? null : (Long) value;
    }

    private static @Nullable Double known(double value) {
        return Double.isNaN(value) ? null : (Double) value;
    }
}
