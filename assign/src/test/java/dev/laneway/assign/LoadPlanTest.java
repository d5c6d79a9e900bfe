package dev.laneway.assign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LoadPlanTest {
    private static final Node[] NOBODY = {};

    @Test
    @DisplayName("B209 what is planned for a simulation is what the assignor hands out for the same loads and owners")
    void isTheAssignors() {
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            int members = 1 + random.nextInt(7);
            double[] loads = random.doubles(1 + random.nextInt(25), 0, 1)
                    .map(value -> value < 0.1 ? 0 : Math.pow(value, -1.5))
                    .toArray();
            int[] owners = IntStream.range(0, loads.length)
                    .map(_ -> random.nextInt(members + 1) - 1)
                    .toArray();
            assertThat(LoadPlan.plan(loads, owners, members))
                    .as("group %d", i)
                    .containsExactly(handedOut(loads, owners, members));
        }
    }

    /** Eagerly, so that one rebalance does it all. */
    private static int[] handedOut(double[] loads, int[] owners, int members) {
        Map<TopicPartition, Double> known =
                new TreeMap<>((one, other) -> Integer.compare(one.partition(), other.partition()));
        List<PartitionInfo> infos = new ArrayList<>();
        for (int partition = 0; partition < loads.length; partition++) {
            known.put(new TopicPartition("t", partition), loads[partition]);
            infos.add(new PartitionInfo("t", partition, null, NOBODY, NOBODY));
        }
        LoadAssignor assignor = new LoadAssignor(asked -> Loads.filled(known, asked), AssignorSettings.of(Map.of()));
        Map<String, Subscription> group = new TreeMap<>();
        for (int member = 0; member < members; member++) {
            int number = member;
            List<TopicPartition> owned = known.keySet().stream()
                    .filter(partition -> owners[partition.partition()] == number)
                    .toList();
            group.put("m" + member, new Subscription(List.of("t"), null, owned));
        }
        Cluster cluster = new Cluster("c", List.of(), infos, java.util.Set.of(), java.util.Set.of());
        Map<String, ConsumerPartitionAssignor.Assignment> first =
                assignor.assign(cluster, new GroupSubscription(group)).groupAssignment();
        // The second half of a cooperative rebalance: what was given up goes where it shall.
        group.replaceAll((name, _) ->
                new Subscription(List.of("t"), null, first.get(name).partitions()));
        int[] plan = new int[loads.length];
        assignor.assign(cluster, new GroupSubscription(group))
                .groupAssignment()
                .forEach((name, assigned) -> assigned.partitions()
                        .forEach(partition -> plan[partition.partition()] = Integer.parseInt(name.substring(1))));
        return plan;
    }

    @Test
    @DisplayName("B209 who is not among the members leaves its partitions to others, and empty ones are spread as well")
    void leaves() {
        assertThat(LoadPlan.plan(new double[] {5, 5, 5}, new int[] {2, 0, 7}, 1))
                .containsOnly(0);
        assertThat(LoadPlan.plan(new double[] {0, 0, 0, 0}, new int[] {-1, -1, -1, -1}, 4))
                .containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(LoadPlan.plan(new double[] {9, 0, 0, 0, 0, 0}, new int[] {0, 0, 0, 0, 0, 0}, 2))
                .startsWith(0)
                .endsWith(1, 1, 1, 1, 1);
    }

    @Test
    @DisplayName("B209 a load is the rate of five minutes, and the lag as if it were read in ten")
    void takesTheDefaults() {
        assertThat(LoadPlan.window()).isEqualTo(Duration.ofMinutes(5));
        assertThat(LoadPlan.load(600, 1_200)).isEqualTo(4);
        assertThat(LoadPlan.load(-1, -1)).isZero();
    }

    @Test
    @DisplayName("B209 no member, or loads of another group, are refused")
    void refuses() {
        assertThatThrownBy(() -> LoadPlan.plan(new double[] {1}, new int[] {0}, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("members are 0 and owners 1 but must be at least 1, and as many as loads, 1: give both of"
                        + " one group");
        assertThatThrownBy(() -> LoadPlan.plan(new double[] {1}, new int[] {0, 0}, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
