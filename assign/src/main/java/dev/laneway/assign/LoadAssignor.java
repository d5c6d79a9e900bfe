package dev.laneway.assign;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each member of a group about the same load, where Kafka's assignors give each about as many partitions. Set it
 * in all members: {@code partition.assignment.strategy=dev.laneway.assign.LoadAssignor}.
 *
 * <p>The load of a partition is the records appended to it a second within {@code laneway.assignor.window.ms} (5
 * minutes), by their timestamps, and its lag divided by {@code laneway.assignor.catch.up.ms} (10 minutes). The member
 * that leads the group asks brokers for it during a rebalance, for at most {@code laneway.assignor.limit.ms} (3 s);
 * where they do not tell, what was known before counts, else each partition the same, and a warning says so. Members
 * keep what they have, unless one has more, or less, than the mean by {@code laneway.assignor.tolerance} (0.1) of it;
 * then as few move as bring it near, and at most {@code laneway.assignor.most.moves} (1,000) in one rebalance. A value
 * out of range is refused when the consumer is made.
 *
 * <p>It plans when the group rebalances, and causes no rebalance itself. Only partitions that change hands stop, as
 * with {@code CooperativeStickyAssignor}; a group of {@code RangeAssignor} changes over in the same two steps. For the
 * classic protocol: with {@code group.protocol=consumer} partitions are the broker's to give. {@code client.rack} is
 * not looked at. Used by the thread that polls.
 */
public final class LoadAssignor implements ConsumerPartitionAssignor, Configurable {
    private static final Logger LOG = LoggerFactory.getLogger(LoadAssignor.class);

    private @Nullable Function<List<TopicPartition>, Map<TopicPartition, Double>> loads;
    private AssignorSettings settings = AssignorSettings.of(Map.of());
    /** What this member, as leader, planned last: what was given up goes where it shall, and eager members keep all. */
    private Map<String, Set<TopicPartition>> planned = Map.of();

    /** For Kafka, which calls {@link #configure} next. */
    public LoadAssignor() {}

    /** @param loads of the partitions, each above 0 */
    LoadAssignor(Function<List<TopicPartition>, Map<TopicPartition, Double>> loads, AssignorSettings settings) {
        this.loads = loads;
        this.settings = settings;
    }

    @Override
    public void configure(Map<String, ?> configs) {
        settings = AssignorSettings.of(configs);
        String group = String.valueOf(configs.get(ConsumerConfig.GROUP_ID_CONFIG));
        boolean isFromStart = "earliest".equals(String.valueOf(configs.get(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG)));
        loads = new Loads(configs, group, isFromStart, settings)::of;
    }

    @Override
    public String name() {
        return "laneway-load";
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return List.of(RebalanceProtocol.COOPERATIVE, RebalanceProtocol.EAGER);
    }

    @Override
    public GroupAssignment assign(Cluster metadata, GroupSubscription groupSubscription) {
        List<Member> members = groupSubscription.groupSubscription().entrySet().stream()
                .map(each -> new Member(each.getKey(), each.getValue()))
                .sorted(Comparator.comparing(Member::lastingName).thenComparing(Member::name))
                .toList();
        List<TopicPartition> partitions = partitions(metadata, members);
        Map<TopicPartition, Double> known =
                loads == null ? Loads.filled(Map.of(), partitions) : loads.apply(partitions);
        double[] load = partitions.stream()
                .mapToDouble(partition -> known.getOrDefault(partition, 1.0))
                .toArray();
        int[] owners = owners(members, partitions);
        double[] capacities = new double[members.size()];
        Arrays.fill(capacities, 1);
        int[] plan = LoadBalance.plan(
                load,
                capacities,
                owners,
                (member, part) -> members.get(member)
                        .topics()
                        .contains(partitions.get(part).topic()),
                settings.tolerance(),
                settings.mostMoves());
        log(load, owners, plan, members.size());
        return new GroupAssignment(handedOut(members, partitions, plan));
    }

    private record Member(String name, Subscription subscription, Set<String> topics) {
        Member(String name, Subscription subscription) {
            this(name, subscription, Set.copyOf(subscription.topics()));
        }

        /** One that a static member keeps. */
        String lastingName() {
            return subscription.groupInstanceId().orElse(name);
        }
    }

    private static List<TopicPartition> partitions(Cluster metadata, List<Member> members) {
        Set<String> topics = members.stream()
                .flatMap(member -> member.topics.stream())
                .collect(Collectors.toCollection(TreeSet::new));
        List<TopicPartition> partitions = new ArrayList<>();
        for (String topic : topics) {
            Integer count = metadata.partitionCountForTopic(topic);
            for (int number = 0; number < (count == null ? 0 : count); number++) {
                partitions.add(new TopicPartition(topic, number));
            }
        }
        return partitions;
    }

    /**
     * Who has which partition, or by the last plan should: of two who claim it, the one with the later generation, or
     * nobody.
     */
    private int[] owners(List<Member> members, List<TopicPartition> partitions) {
        Map<TopicPartition, Integer> owners = new HashMap<>();
        Map<TopicPartition, Integer> generations = new HashMap<>();
        for (int member = 0; member < members.size(); member++) {
            Subscription subscription = members.get(member).subscription;
            int generation = subscription.generationId().orElse(-1);
            for (TopicPartition partition : subscription.ownedPartitions()) {
                Integer other = generations.get(partition);
                if (other == null || generation > other) {
                    generations.put(partition, generation);
                    owners.put(partition, member);
                } else if (generation == other) {
                    owners.put(partition, LoadBalance.NOBODY);
                }
            }
        }
        for (int member = 0; member < members.size(); member++) {
            for (TopicPartition partition : planned.getOrDefault(members.get(member).name, Set.of())) {
                owners.putIfAbsent(partition, member);
            }
        }
        return partitions.stream()
                .mapToInt(partition -> owners.getOrDefault(partition, LoadBalance.NOBODY))
                .toArray();
    }

    /** What another member still has is given up first; the rebalance that follows gives it away. */
    private Map<String, Assignment> handedOut(List<Member> members, List<TopicPartition> partitions, int[] plan) {
        Map<TopicPartition, Set<String>> claims = new HashMap<>();
        for (Member member : members) {
            for (TopicPartition partition : member.subscription.ownedPartitions()) {
                claims.computeIfAbsent(partition, _ -> new HashSet<>()).add(member.name);
            }
        }
        Map<String, Assignment> assignments = new HashMap<>();
        Map<String, Set<TopicPartition>> all = new HashMap<>();
        for (int member = 0; member < members.size(); member++) {
            String name = members.get(member).name;
            List<TopicPartition> now = new ArrayList<>();
            Set<TopicPartition> soon = new HashSet<>();
            for (int part = 0; part < plan.length; part++) {
                if (plan[part] == member) {
                    Set<String> by = claims.getOrDefault(partitions.get(part), Set.of());
                    soon.add(partitions.get(part));
                    if (by.isEmpty() || by.contains(name)) {
                        now.add(partitions.get(part));
                    }
                }
            }
            assignments.put(name, new Assignment(now));
            all.put(name, soon);
        }
        planned = all;
        return assignments;
    }

    private static void log(double[] load, int[] owners, int[] plan, int members) {
        double[] sums = new double[members];
        int moved = 0;
        for (int part = 0; part < plan.length; part++) {
            if (plan[part] != LoadBalance.NOBODY) {
                sums[plan[part]] += load[part];
                moved += owners[part] != LoadBalance.NOBODY && owners[part] != plan[part] ? 1 : 0;
            }
        }
        double mean = Arrays.stream(sums).average().orElse(0);
        double most = Arrays.stream(sums).max().orElse(0);
        LOG.info(
                "{} partitions for {} members, {} of them moved; the fullest has {} % of the mean load",
                plan.length, members, moved, mean == 0 ? 100 : Math.round(100 * most / mean));
    }
}
