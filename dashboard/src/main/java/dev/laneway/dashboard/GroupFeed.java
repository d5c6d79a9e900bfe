package dev.laneway.dashboard;

import dev.laneway.dashboard.Frame.Hold;
import dev.laneway.dashboard.Frame.Row;
import dev.laneway.dashboard.Frame.Totals;
import dev.laneway.ops.GroupLag;
import dev.laneway.ops.GroupMember;
import dev.laneway.ops.LagAge;
import dev.laneway.ops.LagOptions;
import dev.laneway.ops.LagStatus;
import dev.laneway.ops.PartitionLag;
import dev.laneway.ops.RecordProbe;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.CheckResult.Outcome;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.AdminSource;
import dev.laneway.ops.observe.Source;
import dev.laneway.ops.observe.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Shows a group of any kind by what its brokers tell, and judges as {@code laneway check} does. */
final class GroupFeed implements Feed {
    private static final Duration LIMIT = LagOptions.DEFAULT.limit();
    /** So long is remembered for the verdict. */
    private static final long WINDOW_MILLIS = 90_000;
    /** Each so many partitions make the rounds a second rarer, so that the window stays small. */
    private static final int PARTITIONS_A_SECOND = 200;
    /** Of the time, judging takes no more than one part in so many. */
    private static final int JUDGING_SHARE = 20;

    private final String group;
    private final AdminSource source;
    private final Watch watch;
    private final Clearing.Estimate lagTrend = new Clearing.Estimate();
    private final SteadyVerdict verdict = new SteadyVerdict(
            Verdict.of(Outcome.UNKNOWN, "Whether the group keeps up cannot be told yet: it is watched first.", ""));
    private List<String> runnersUp = List.of();
    private final @Nullable MemberPages pages;
    private @Nullable Frame last;
    private long nextRound = System.nanoTime();
    private long nextJudging = System.nanoTime();

    /** @param pages to ask members' pages, closed with this; null to ask none */
    GroupFeed(Admin admin, String group, List<? extends Source> more, @Nullable MemberPages pages) {
        this.group = group;
        this.pages = pages;
        this.source = new AdminSource(admin, group, LagOptions.DEFAULT, RecordProbe.NONE);
        List<Source> sources = new ArrayList<>();
        sources.add(source);
        sources.addAll(more);
        this.watch = new Watch(sources, LIMIT, _ -> {});
    }

    @Override
    public String name() {
        return group;
    }

    @Override
    public Frame look() {
        long begun = System.nanoTime();
        Frame before = last;
        if (before != null && begun - nextRound < 0) {
            return before;
        }
        long now = System.currentTimeMillis();
        watch.round();
        watch.forgetBefore(now - WINDOW_MILLIS);
        GroupLag lag = source.latest();
        int partitions = lag == null ? 0 : lag.partitions().size();
        nextRound = begun + partitions / PARTITIONS_A_SECOND * 1_000_000_000L;
        if (begun - nextJudging >= 0) {
            long from = System.nanoTime();
            judge(lag);
            nextJudging = System.nanoTime() + JUDGING_SHARE * (System.nanoTime() - from);
        }
        Frame frame = lag == null ? Frame.unseen(now, verdict.said(), Map.of(), remarks()) : frame(now, lag);
        last = frame;
        return frame;
    }

    private void judge(@Nullable GroupLag lag) {
        CheckResult result = GroupCheck.judge(watch.observations(), Thresholds.USUAL);
        String blamed = result.blame() != null || result.outcome() == Outcome.HEALTHY || lag == null
                ? result.blame()
                : blame(lag);
        verdict.found(System.nanoTime() / 1e9, Verdict.of(result, blamed));
        runnersUp = Verdict.runnersUp(result);
    }

    /** The partition with the worst status; of those the one with the most lag. */
    private static @Nullable String blame(GroupLag lag) {
        return lag.partitions().stream()
                .filter(one -> one.status().compareTo(LagStatus.UNKNOWN) > 0)
                .max(Comparator.comparing(PartitionLag::status).thenComparingLong(GroupFeed::lagOf))
                .map(one -> one.partition().toString())
                .orElse(null);
    }

    private static long lagOf(PartitionLag one) {
        Long lag = one.lag();
        return lag == null ? 0 : lag;
    }

    private List<String> remarks() {
        List<String> remarks = new ArrayList<>(runnersUp);
        watch.failures().forEach((name, why) -> remarks.add(name + ": " + why));
        return remarks;
    }

    private Frame frame(long now, GroupLag lag) {
        if (pages != null) {
            pages.look(lag.members(), System.nanoTime());
        }
        Map<TopicPartition, String> owners = new HashMap<>();
        for (GroupMember member : lag.members()) {
            member.partitions().forEach(one -> owners.put(one, member.clientId()));
        }
        List<Row> rows = lag.partitions().stream()
                .sorted(Comparator.comparing(
                                (PartitionLag one) -> one.partition().topic())
                        .thenComparingInt(one -> one.partition().partition()))
                .map(one -> row(one, owners.get(one.partition())))
                .toList();
        boolean known = lag.partitions().stream().anyMatch(one -> one.lag() != null);
        if (known) {
            lagTrend.add(now / 1e3, lag.knownLag());
        }
        List<String> remarks = new ArrayList<>(lag.problems());
        remarks.addAll(remarks());
        return new Frame(
                now,
                lag.state(),
                verdict.said(),
                new Totals(
                        sum(rows, Row::done),
                        sum(rows, Row::appended),
                        known ? lag.knownLag() : null,
                        rows.stream()
                                .map(Row::age)
                                .filter(Objects::nonNull)
                                .max(Comparator.comparingDouble(LagAge::low))
                                .orElse(null),
                        known ? lagTrend.clearing() : null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null),
                Map.of(),
                rows,
                lag.members().stream().map(member -> member(member, lag)).toList(),
                remarks,
                Frame.Details.NONE);
    }

    private static @Nullable Double sum(List<Row> rows, Function<Row, @Nullable Double> value) {
        List<Double> known = new ArrayList<>();
        for (Row row : rows) {
            Double one = value.apply(row);
            if (one != null) {
                known.add(one);
            }
        }
        return known.isEmpty()
                ? null
                : (Double) known.stream().mapToDouble(Double::doubleValue).sum();
    }

    private Frame.Member member(GroupMember member, GroupLag lag) {
        long sum = lag.partitions().stream()
                .filter(one -> member.partitions().contains(one.partition()))
                .mapToLong(GroupFeed::lagOf)
                .sum();
        return new Frame.Member(
                member.clientId(),
                member.host(),
                member.partitions().size(),
                sum,
                pages == null ? null : pages.of(member));
    }

    private static Row row(PartitionLag one, @Nullable String owner) {
        return new Row(
                one.partition().toString(),
                one.lag(),
                one.age(),
                one.processRate(),
                one.appendRate(),
                hold(one.status()),
                one.status() == LagStatus.OK ? "" : one.evidence(),
                one.committed(),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                owner,
                false);
    }

    private static Hold hold(LagStatus status) {
        return switch (status) {
            case OK -> Hold.NOTHING;
            case UNKNOWN -> Hold.UNKNOWN;
            case GROWING -> Hold.GROWING;
            case REWIND -> Hold.REWIND;
            case STALL -> Hold.STALL;
            case STOP -> Hold.STOP;
        };
    }

    @Override
    public void close() {
        if (pages != null) {
            pages.close();
        }
        watch.close();
    }
}
