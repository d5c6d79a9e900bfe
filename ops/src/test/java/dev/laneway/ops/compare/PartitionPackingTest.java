package dev.laneway.ops.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PartitionPackingTest {
    @Test
    @DisplayName("B188 partitions that fit stay where they are; one that does not fit gets a member of its own")
    void keeps() {
        int[] owners = {0, 0, 1, 1};
        assertThat(PartitionPacking.pack(new double[] {0.6, 0.3, 0.6, 0.3}, owners))
                .isEqualTo(owners);
        int[] grown = PartitionPacking.pack(new double[] {0.9, 0.3, 0.6, 0.3}, owners);
        assertThat(PartitionPacking.members(grown)).isEqualTo(3);
    }

    @Test
    @DisplayName("B188 fewer members where all fits, and numbers without gaps")
    void empties() {
        int[] packed = PartitionPacking.pack(new double[] {0.2, 0.2, 0.2, 0.2}, new int[] {0, 1, 2, 3});
        assertThat(packed).containsOnly(0);
    }

    @Test
    @DisplayName("B188 no member is over its size unless by one partition alone, whatever comes")
    void neverOverfull() {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 2_000; round++) {
            int partitions = 1 + random.nextInt(32);
            int before = 1 + random.nextInt(partitions);
            double[] sizes = random.doubles(partitions, 0, 1.2).toArray();
            int[] owners = IntStream.range(0, partitions)
                    .map(partition -> partition % before)
                    .toArray();
            int[] packed = PartitionPacking.pack(sizes, owners);
            int members = PartitionPacking.members(packed);
            assertThat(Arrays.stream(packed).distinct().count()).isEqualTo(members);
            for (int member = 0; member < members; member++) {
                int owner = member;
                int[] own = IntStream.range(0, partitions)
                        .filter(partition -> packed[partition] == owner)
                        .toArray();
                double load = Arrays.stream(own)
                        .mapToDouble(partition -> sizes[partition])
                        .sum();
                assertThat(own.length == 1 || load <= 1 + 1e-9)
                        .as("round %d", round)
                        .isTrue();
            }
        }
    }
}
