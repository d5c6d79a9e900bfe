package dev.laneway.engine.start;

import dev.laneway.MetadataPolicy;
import dev.laneway.Options;
import dev.laneway.StartPosition;
import dev.laneway.engine.commit.CommitSender;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.ForeignMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where partitions start, and what an earlier owner has already done of them. A partition is starting from its
 * assignment until that is known: it is paused, and what must be asked of the brokers is asked between turns, so that
 * one that cannot start (it has no leader, or a dead peer has left a transaction open) stops no other one and does not
 * keep the member from its group. The owner only.
 */
public final class StartOffsets {
    private static final Logger log = LoggerFactory.getLogger(StartOffsets.class);
    /** The longest call where other partitions wait for the turn; a broker keeps a fetch for no longer, as a rule. */
    private static final long LONGEST_NANOS = 200_000_000;
    /** The longest poll while the client itself may be looking for positions, which keeps it from fetching. */
    private static final long CLIENT_LOOKS_NANOS = 50_000_000;

    /** After so many questions without an answer that others have had. */
    private static final int HELD_AFTER = 3;

    private static final long TOPIC_PAUSE_NANOS = 100_000_000;

    private final Host host;
    private final Consumer<byte[], byte[]> consumer;
    private final Assignment assignment;
    private final Options options;
    private final PartitionStart.Maker maker;
    /** Whether members share topics, so that partitions may come that nobody has named. */
    private final boolean grouped;
    /** Whether records of keys that a map lists can be read again. */
    private final boolean spills;

    private final String reset;

    /** Those that are starting. */
    private final Map<TopicPartition, PartitionStart> open = new LinkedHashMap<>();

    private final TopicStarts others;

    private final List<Partition> ready = new ArrayList<>();
    private final StartQueries inquiries;
    private final PartitionQuery<Optional<OffsetAndMetadata>> committed;
    private final PartitionQuery<Long> mapEnds;
    private final PartitionQuery<AddedPartition> topics;
    private final PartitionQuery<Long> positions;
    private final PartitionQuery<Long> beginnings;
    private final PartitionQuery<Long> ends;
    private final PartitionQuery<Optional<Long>> times;
    private final StartQuestions ask;
    private final StartCommits commits;
    private final EpochWatch epochs;
    /** Whether the start position counts at each assignment, since nothing is ever committed. */
    private boolean startsAnew;
    /** Whether the metadata beside the offset is the user's own. */
    private boolean isNoted;

    public StartOffsets(
            Host host,
            Consumer<byte[], byte[]> consumer,
            Assignment assignment,
            Options options,
            HealthConditions conditions,
            CommitSender commits,
            PartitionStart.Maker maker,
            boolean grouped,
            boolean spills,
            String reset) {
        this.host = host;
        this.consumer = consumer;
        this.assignment = assignment;
        this.options = options;
        this.maker = maker;
        this.grouped = grouped;
        this.spills = spills;
        this.reset = reset;
        this.others = new TopicStarts(host, this::forget);
        this.commits = new StartCommits(host, consumer, commits, conditions, this::begun, this::judgeAgain);
        this.epochs = new EpochWatch(host, consumer, assignment, conditions);
        this.ask = new StartQuestions(consumer, options.startPosition());
        this.inquiries = new StartQueries(host, conditions, options.limits().retryAuthorization());
        String leader = "check that they exist and have leaders";
        this.committed = inquiries.add(
                "reading the committed offsets",
                "check the brokers; where a member has died amid a transaction, the broker tells them when"
                        + " transaction.timeout.ms of its producer is over",
                ask::committed,
                (start, offset) -> committed(start, offset.orElse(null)));
        this.mapEnds = inquiries.add("finding the last offsets behind maps", leader, ask::ends, this::mapEnd);
        this.topics = inquiries.add(
                "finding where the group has begun topics", "check the brokers", ask::judge, this::judged);
        this.positions = inquiries.add("finding the positions", leader, ask::positions, this::make);
        this.beginnings = inquiries.add("finding the first offsets", leader, ask::beginnings, this::found);
        this.ends = inquiries.add("finding the last offsets", leader, ask::ends, this::end);
        this.times = inquiries.add("finding offsets by timestamp", leader, ask::byTime, this::foundByTime);
    }

    private void foundByTime(PartitionStart start, Optional<Long> at) {
        found(start, at.orElse(start.end));
    }

    /** Before the first partition: these are a stream's. */
    public void serve(HandlerSpec.Streaming.Kind kind) {
        startsAnew = kind == HandlerSpec.Streaming.Kind.PLAIN;
        isNoted = kind == HandlerSpec.Streaming.Kind.NOTED;
    }

    /** Begins to find where these start, if it is to ask; returns those that can be placed at once, positioned. */
    public List<Partition> open(Collection<TopicPartition> ids, boolean asks) {
        forget(ids); // Of an assignment that has ended without a word.
        consumer.pause(ids);
        for (TopicPartition id : ids) {
            PartitionStart start = new PartitionStart(id, true, host.nanoTime());
            leave(id.topic()); // Of which this member has another part now.
            open.put(id, start);
            if (ask.overrides(id)) {
                hold(start);
            }
            if (startsAnew && ask.overrides(id)) {
                lookUp(start);
            } else {
                committed.add(start);
            }
        }
        assignment.awaits(open.keySet());
        return asks ? turn(PartitionQuery.FIRST_NANOS) : List.of();
    }

    /** Without a position the client would look for one by itself, and begin there. */
    private void hold(PartitionStart start) {
        consumer.seek(start.id, 0);
        start.held = true;
    }

    /**
     * The client asks for the offsets of all partitions at once that have no position, so that one without an answer
     * would keep the others from theirs.
     */
    private void holdSilent() {
        for (PartitionStart start : open.values()) {
            if (!start.held && start.unanswered >= HELD_AFTER && committed.hasLeftAlone(start)) {
                hold(start);
            }
        }
    }

    /** Whether they are starting no more: given up, or begun elsewhere. */
    public boolean forget(Collection<TopicPartition> ids) {
        boolean some = ready.removeIf(partition -> ids.contains(partition.id));
        for (TopicPartition id : ids) {
            PartitionStart start = open.remove(id);
            if (start != null) {
                some = true;
                forget(start);
            }
            epochs.forget(id);
            leave(id.topic());
        }
        assignment.awaits(open.keySet());
        return some;
    }

    private void leave(String topic) {
        if (others.begins(topic)) {
            others.leave(topic);
            judgeAgain(open.values());
        }
    }

    /** The verdicts about these are not to be relied on: others may have begun their topics meanwhile. */
    private void judgeAgain(Collection<PartitionStart> some) {
        for (PartitionStart start : List.copyOf(some)) {
            others.leave(start.id.topic());
            if (start.judged && start.own) {
                forget(start);
                start.judged = false;
                start.offset = -1;
                topics.add(start);
            }
        }
    }

    private void forget(PartitionStart start) {
        inquiries.forget(start);
        commits.forget(start);
    }

    /** Where a partition that is starting will start; -1 when that is not known, or it is not starting. */
    public long known(TopicPartition id) {
        PartitionStart start = open.get(id);
        return start == null ? -1 : start.offset;
    }

    public boolean isStarting(TopicPartition id) {
        return open.containsKey(id);
    }

    /** Asks on; returns those whose start is known now, positioned. */
    public List<Partition> turn() {
        epochs.turn();
        return turn(assignment.all().isEmpty() ? Long.MAX_VALUE : LONGEST_NANOS);
    }

    private List<Partition> turn(long mostNanos) {
        if (open.isEmpty() && others.isEmpty() && ready.isEmpty()) {
            return List.of();
        }
        inquiries.ask(mostNanos);
        holdSilent();
        commits.turn(known -> others.together(known, open.values()));
        others.rest(open.values());
        List<Partition> now = List.copyOf(ready);
        ready.clear();
        if (!now.isEmpty()) {
            // Not before: a question about another one may fail, and then nobody knows of these.
            consumer.resume(now.stream().map(partition -> partition.id).toList());
        }
        return now;
    }

    /** Nanoseconds until a turn should ask on; {@code otherwise} when nothing is starting. */
    public long untilDue(long nowNanos, long otherwise) {
        if (open.isEmpty() && others.isEmpty()) {
            return otherwise;
        }
        long until = commits.untilDue(nowNanos, Math.min(otherwise, CLIENT_LOOKS_NANOS));
        return inquiries.untilDue(nowNanos, until);
    }

    /** A partition that goes on elsewhere than the group says; the consumer's position is the caller's. */
    public Partition from(TopicPartition id, long offset) {
        consumer.resume(Set.of(id)); // Flow control may have paused it; the new partition starts afresh.
        return maker.make(id, offset, null);
    }

    /**
     * A partition whose log was cut at this offset. What was undone below it stays undone, and what was done there and
     * committed stays done.
     */
    public Partition afterCut(Partition old, long cut) {
        Progress progress = old.committed == null ? new Progress(old.start, "") : old.committed;
        if (startsAnew || progress.offset() >= cut) {
            return from(old.id, cut);
        }
        old.wasCut(cut);
        DecodedMetadata.Map told = isNoted ? null : old.committedMap();
        DecodedMetadata.Map done = told == null ? null : ListedKeys.usable(old.id, told, options, spills);
        OffsetAndMetadata offset = old.offset(progress);
        consumer.seek(old.id, offset);
        consumer.resume(Set.of(old.id));
        Partition anew = maker.make(old.id, progress.offset(), done);
        if (old.committed != null) {
            anew.restored(offset, done);
        }
        anew.cutAs(old);
        return anew;
    }

    private void committed(PartitionStart start, @Nullable OffsetAndMetadata offset) {
        start.committed = offset;
        if (offset == null) {
            lookUp(start);
            return;
        }
        DecodedMetadata decoded =
                isNoted ? new DecodedMetadata.None() : OffsetMap.decode(start.id, offset.offset(), offset.metadata());
        switch (decoded) {
            case DecodedMetadata.None none -> resume(start, offset, null);
            case DecodedMetadata.Map map -> {
                if (map.origin() == DecodedMetadata.Map.Origin.PARALLEL_CONSUMER
                        && options.metadata() != MetadataPolicy.READ) {
                    foreign(start, offset, "a map of Parallel Consumer");
                } else {
                    mapped(start, offset, ListedKeys.usable(start.id, map, options, spills));
                }
            }
            case DecodedMetadata.Foreign foreign -> foreign(start, offset, foreign.kind() + ": " + foreign.reason());
        }
    }

    private void mapped(PartitionStart start, OffsetAndMetadata offset, DecodedMetadata.@Nullable Map usable) {
        if (usable == null) {
            resume(start, offset, null);
        } else {
            start.map = usable;
            mapEnds.add(start);
        }
    }

    private void mapEnd(PartitionStart start, long end) {
        OffsetAndMetadata offset = start.committed;
        DecodedMetadata.Map map = start.map;
        if (offset == null || map == null) {
            throw new IllegalStateException(start + " has no map");
        }
        if (map.cursor() > end) {
            foreign(start, offset, "a map that reaches beyond the end of the log");
        } else {
            log.info("{}@{}: records that an earlier owner has done are skipped: {}", start, offset.offset(), map);
            resume(start, offset, map);
        }
    }

    private void foreign(PartitionStart start, OffsetAndMetadata offset, String what) {
        ForeignMetadata.ignore(start.id, what, options.metadata());
        resume(start, offset, null);
    }

    /** Nothing is committed, or it does not count. */
    private void lookUp(PartitionStart start) {
        if (!ask.overrides(start.id)) {
            lookUpByReset(start);
            return;
        }
        switch (options.startPosition()) {
            case StartPosition.Committed committed -> lookUpByReset(start);
            case StartPosition.Earliest earliest -> beginnings.add(start);
            case StartPosition.Offsets(var offsets) -> found(start, offsets.getOrDefault(start.id, 0L));
            case StartPosition.Latest _, StartPosition.Timestamp _ -> {
                if (grouped && !startsAnew) {
                    topics.add(start);
                } else {
                    ends.add(start);
                }
            }
        }
    }

    private void lookUpByReset(PartitionStart start) {
        if (!start.held) {
            positions.add(start);
            return;
        }
        switch (reset) {
            case "earliest" -> beginnings.add(start);
            case "latest" -> ends.add(start);
            case "none" -> throw new NoOffsetForPartitionException(start.id);
            default -> {
                log.warn("{} starts at its beginning: auto.offset.reset is {}", start, reset);
                beginnings.add(start);
            }
        }
    }

    private void end(PartitionStart start, long end) {
        if (options.startPosition() instanceof StartPosition.Timestamp) { // Which overrides for every partition.
            start.end = end; // Known before the times are asked for: what is written in between is after it.
            times.add(start);
        } else {
            found(start, end);
        }
    }

    private void found(PartitionStart start, long offset) {
        start.offset = offset;
        if (startsAnew || !ask.overrides(start.id)) {
            make(start, offset);
        } else {
            commits.add(start);
        }
    }

    /** The group's start is committed. */
    private void begun(PartitionStart start) {
        if (start.own) {
            resume(start, new OffsetAndMetadata(start.offset), null);
        } else {
            others.begun(start);
        }
    }

    private void judged(PartitionStart start, AddedPartition verdict) {
        switch (verdict) {
            case AddedPartition.Committed(var offset) -> committed(start, offset);
            case AddedPartition.IsLater() -> {
                start.judged = true;
                beginnings.add(start);
            }
            case AddedPartition.Begins(var more) -> begin(start, more);
            case AddedPartition.Waits(var more) -> {
                if (others.begins(start.id.topic()) || others.beginsInstead(start, open.values())) {
                    begin(start, more);
                } else {
                    topics.add(start);
                    topics.pause(TOPIC_PAUSE_NANOS);
                }
            }
        }
    }

    private void begin(PartitionStart start, Set<TopicPartition> more) {
        start.judged = true;
        ends.add(start);
        Set<TopicPartition> theirs = new LinkedHashSet<>(more);
        theirs.removeAll(open.keySet());
        others.begin(start.id.topic(), theirs).forEach(ends::add);
    }

    private void resume(PartitionStart start, OffsetAndMetadata offset, DecodedMetadata.@Nullable Map done) {
        consumer.seek(start.id, offset);
        Partition partition = made(start, offset.offset(), done);
        partition.restored(offset, done);
        epochs.watch(partition, offset);
    }

    private void make(PartitionStart start, long offset) {
        if (start.held) {
            consumer.seek(start.id, offset);
        }
        made(start, offset, null);
    }

    private Partition made(PartitionStart start, long offset, DecodedMetadata.@Nullable Map done) {
        open.remove(start.id);
        if (open.isEmpty()) {
            commits.rest();
        }
        Partition partition = maker.make(start.id, offset, done);
        ready.add(partition);
        return partition;
    }
}
