package dev.laneway.cli.workload;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.cli.program.Durations;
import dev.laneway.cli.program.VerbFailure;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterTest {
    @ParameterizedTest(name = "B128 a broker limit of {0} is one that the client can be told")
    @DisplayName("B128 the shortest and the longest broker limit")
    @ValueSource(strings = {"1us", "25h", "600h", "876000h"})
    void limits(String limit) {
        Duration brokerLimit = new Durations().convert(limit);
        assertThatThrownBy(() -> Cluster.connect(Map.of("bootstrap.servers", "no port"), brokerLimit))
                .isInstanceOf(VerbFailure.class)
                .hasMessageContaining("cannot connect to no port");
    }
}
