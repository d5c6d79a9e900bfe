package dev.laneway.ops;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.common.TopicPartition;

/**
 * Measures the lag of groups, one round at a time, and remembers the last rounds for rates, trends and ages. Needs only
 * the Admin API. Used by one thread; the caller closes the admin client.
 */
public final class LagMonitor {
    private final Admin admin;
    private final LagOptions options;
    private final RecordProbe probe;
    private final LongSupplier millis;
    private final LongSupplier nanos;
    private final Map<String, Map<TopicPartition, ReadingWindow>> windows = new HashMap<>();
    private final Map<String, GroupKind> kinds = new HashMap<>();

    /** Makes a monitor; nothing is asked yet. */
    public LagMonitor(Admin admin, LagOptions options, RecordProbe probe) {
        this(admin, options, probe, System::currentTimeMillis, System::nanoTime);
    }

    LagMonitor(Admin admin, LagOptions options, RecordProbe probe, LongSupplier millis, LongSupplier nanos) {
        this.admin = admin;
        this.options = options;
        this.probe = probe;
        this.millis = millis;
        this.nanos = nanos;
    }

    /**
     * Measures one group.
     *
     * @throws LagFailure if the group does not exist, the right to see it is missing, or no broker answers
     */
    public GroupLag sample(String group) {
        Answers answers = answers();
        GroupKind kind = kinds.get(group);
        if (kind == null) {
            kind = GroupLookup.kindOf(admin, group, answers);
            kinds.put(group, kind);
        }
        GroupLag lag = measure(Map.of(group, kind), answers).getFirst();
        if (!kinds.containsKey(group)) {
            throw GroupLookup.unknown(group, null);
        }
        if (lag.partitions().isEmpty() && !lag.problems().isEmpty()) {
            throw new LagFailure(String.join("; ", lag.problems()), null);
        }
        return lag;
    }

    /**
     * Measures all groups that the user may see, in the order of their names.
     *
     * @throws LagFailure if they cannot be listed
     */
    public List<GroupLag> sampleAll() {
        Answers answers = answers();
        Map<String, GroupKind> found = new LinkedHashMap<>();
        GroupLookup.list(admin, answers).stream()
                .sorted(Comparator.comparing(GroupListing::groupId))
                .forEach(listing -> GroupLookup.kind(listing).ifPresent(kind -> found.put(listing.groupId(), kind)));
        windows.keySet().retainAll(found.keySet());
        kinds.clear();
        kinds.putAll(found);
        return measure(found, answers);
    }

    private Answers answers() {
        return new Answers(nanos, options.limit().toMillis());
    }

    private List<GroupLag> measure(Map<String, GroupKind> groups, Answers answers) {
        List<GroupRead> reads = new ArrayList<>();
        groups.forEach((group, kind) -> reads.add(GroupRead.start(admin, group, kind, answers.leftForRequest())));
        List<GroupFacts> facts =
                reads.stream().map(read -> read.finish(answers)).toList();
        Set<TopicPartition> partitions = new HashSet<>();
        facts.forEach(fact -> partitions.addAll(fact.known().keySet()));
        long now = millis.getAsLong();
        // After the commits: so the lag is never too low.
        OffsetBounds bounds = OffsetBounds.read(admin, partitions, options.isolation(), answers);
        List<GroupLag> lags = new ArrayList<>();
        for (GroupFacts fact : facts) {
            if (fact.isGone()) {
                kinds.remove(fact.group());
                windows.remove(fact.group());
            }
            Map<TopicPartition, ReadingWindow> own = windows.computeIfAbsent(fact.group(), _ -> new HashMap<>());
            lags.add(new GroupRound(admin, options, probe, fact, own, now, answers).measure(bounds));
        }
        return lags;
    }
}
