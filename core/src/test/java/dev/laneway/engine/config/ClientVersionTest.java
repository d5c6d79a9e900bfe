package dev.laneway.engine.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.ConfigurationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientVersionTest {
    private static final String REMEDY =
            ": put a newer one on the class path; where a framework manages it, set its property kafka.version";

    @Test
    @DisplayName("B129 the version of kafka-clients on the class path is known")
    void found() {
        assertThat(ClientVersion.found().text()).matches("\\d+\\.\\d+\\.\\d+.*");
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"2.8.2", "3.9.1", "4.0.2"})
    @DisplayName("B129 clients before 4.1 are refused")
    void tooOld(String version) {
        assertThatThrownBy(() -> new ClientVersion(version).requireForConsumers())
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("kafka-clients is " + version + " but Laneway needs 4.1 or later" + REMEDY);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"4.1.0", "4.1.2", "4.2.2"})
    @DisplayName("B129 clients of 4.1 and 4.2 are taken, but not for share groups")
    void notForShareGroups(String version) {
        ClientVersion old = new ClientVersion(version);
        assertThatCode(old::requireForConsumers).doesNotThrowAnyException();
        assertThatThrownBy(old::requireForShareGroups)
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("kafka-clients is " + version + " but share groups need 4.3 or later" + REMEDY);
    }

    @Test
    @DisplayName("B129 Confluent's builds count as the Kafka that they are of")
    void confluent() {
        assertThatThrownBy(() -> new ClientVersion("7.9.0-ccs").requireForConsumers())
                .hasMessage("kafka-clients is 7.9.0-ccs (Kafka 3.9) but Laneway needs 4.1 or later" + REMEDY);
        assertThatThrownBy(() -> new ClientVersion("8.2.0-ce").requireForShareGroups())
                .hasMessage("kafka-clients is 8.2.0-ce (Kafka 4.2) but share groups need 4.3 or later" + REMEDY);
        assertThatCode(new ClientVersion("8.1.0-ccs")::requireForConsumers).doesNotThrowAnyException();
        assertThatCode(new ClientVersion("8.3.0-ccs")::requireForShareGroups).doesNotThrowAnyException();
    }

    @ParameterizedTest(name = "{displayName}: \"{0}\"")
    @ValueSource(strings = {"4.3.0", "4.3.1", "4.4.0", "4.10.0", "5.0.0-SNAPSHOT", "", "unknown"})
    @DisplayName("B129 newer clients are taken, and those that do not say how old they are")
    void taken(String version) {
        assertThatCode(new ClientVersion(version)::requireForConsumers).doesNotThrowAnyException();
        assertThatCode(new ClientVersion(version)::requireForShareGroups).doesNotThrowAnyException();
    }
}
