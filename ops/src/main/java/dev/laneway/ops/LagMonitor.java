package dev.laneway.ops;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListGroupsResult;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

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
            kind = kindOf(group, answers);
            kinds.put(group, kind);
        }
        GroupLag lag = measure(Map.of(group, kind), answers).getFirst();
        if (!kinds.containsKey(group)) {
            throw unknown(group, null);
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
        list(answers).stream()
                .sorted(Comparator.comparing(GroupListing::groupId))
                .forEach(listing -> kind(listing).ifPresent(kind -> found.put(listing.groupId(), kind)));
        windows.keySet().retainAll(found.keySet());
        kinds.clear();
        kinds.putAll(found);
        return measure(found, answers);
    }

    private Answers answers() {
        return new Answers(nanos, options.limit().toMillis());
    }

    private GroupKind kindOf(String group, Answers answers) {
        for (GroupListing listing : list(answers)) {
            if (listing.groupId().equals(group)) {
                return kind(listing)
                        .orElseThrow(() -> new LagFailure(
                                "group '" + group + "' has the protocol '" + listing.protocol()
                                        + "' and consumes no partitions: name a group of consumers",
                                null));
            }
        }
        // The list has only what this user may see.
        Throwable failure = answers.of(Objects.requireNonNull(admin.describeConsumerGroups(
                                List.of(group), new DescribeConsumerGroupsOptions().timeoutMs(answers.leftForRequest()))
                        .describedGroups()
                        .get(group)))
                .failure();
        if (failure == null || failure instanceof GroupIdNotFoundException) {
            throw unknown(group, failure);
        }
        if (failure instanceof AuthorizationException) {
            throw new LagFailure(
                    "group '" + group + "' may not be seen: the right DESCRIBE on the group is missing: grant it",
                    failure);
        }
        throw new LagFailure(answers.reason("group '" + group + "'", failure), failure);
    }

    private static LagFailure unknown(String group, @Nullable Throwable cause) {
        return new LagFailure(
                "group '" + group + "' does not exist, or the right DESCRIBE on it is missing: check the name", cause);
    }

    private List<GroupListing> list(Answers answers) {
        ListGroupsResult result = admin.listGroups(new ListGroupsOptions().timeoutMs(answers.leftForRequest()));
        Answers.Answer<java.util.Collection<Throwable>> errors = answers.of(result.errors());
        if (errors.failure() != null) {
            throw new LagFailure(answers.reason("list of groups", errors.failure()), errors.failure());
        }
        Answers.Answer<java.util.Collection<GroupListing>> valid = answers.of(result.valid());
        if (valid.value() == null) {
            throw new LagFailure(answers.reason("list of groups", valid.failure()), valid.failure());
        }
        if (errors.value() != null && !errors.value().isEmpty()) {
            Throwable first = errors.value().iterator().next();
            throw new LagFailure(answers.reason("list of groups of one broker", first), first);
        }
        return List.copyOf(valid.value());
    }

    private static Optional<GroupKind> kind(GroupListing listing) {
        GroupType type = listing.type().orElse(GroupType.CLASSIC);
        return switch (type) {
            case CONSUMER -> Optional.of(GroupKind.CONSUMER);
            case SHARE -> Optional.of(GroupKind.SHARE);
            case STREAMS -> Optional.of(GroupKind.STREAMS);
            // Others, such as the workers of Kafka Connect, have no partitions; groups without members no protocol.
            case CLASSIC, UNKNOWN ->
                listing.protocol().isEmpty() || listing.protocol().equals("consumer")
                        ? Optional.of(GroupKind.CLASSIC)
                        : Optional.empty();
        };
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
