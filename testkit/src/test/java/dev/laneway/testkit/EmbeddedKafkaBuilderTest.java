package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("EmbeddedKafkaBuilder")
class EmbeddedKafkaBuilderTest {

    private final EmbeddedKafkaBuilder builder = EmbeddedKafka.builder();

    @ParameterizedTest(name = "nodes({0})")
    @ValueSource(ints = {-1, 0, 4})
    @DisplayName("a wrong number of nodes is refused with option, value and rule")
    void nodes(int nodes) {
        assertThatThrownBy(() -> builder.nodes(nodes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nodes(" + nodes + "): must be 1 to 3");
    }

    @ParameterizedTest(name = "port({0})")
    @ValueSource(ints = {-1, 65_533, 65_536})
    @DisplayName("a port that leaves no room for three nodes is refused with option, value and rule")
    void port(int port) {
        assertThatThrownBy(() -> builder.port(port))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("port(" + port + "): must be 0 for a free port, or 1 to 65532");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"listeners", "node.id", "log.dirs", "process.roles", "controller.quorum.voters"})
    @DisplayName("a property that wires the cluster is refused with its remedy")
    void reserved(String key) {
        assertThatThrownBy(() -> builder.property(key, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("property(" + key + ", x)")
                .hasMessageContaining("use nodes, port or directory");
    }
}
