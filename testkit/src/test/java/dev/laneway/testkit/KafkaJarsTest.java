package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaJarsTest {

    @Test
    @DisplayName("B129 the jars on the class path are known, and fit")
    void found() {
        KafkaJars jars = KafkaJars.found();
        assertThat(jars.clients()).matches("\\d+\\.\\d+\\.\\d+.*");
        assertThat(jars.server()).isEqualTo(jars.clients());
        assertThatCode(jars::check).doesNotThrowAnyException();
    }

    @ParameterizedTest(name = "{displayName}: clients {0}, server {1}")
    @CsvSource({"4.1.2,4.1.2", "4.2.2,4.2.2", "4.1.2,4.3.1", "4.3.1,4.2.2", "4.4.0,4.3.1", "3.9.1,''"})
    @DisplayName("B129 jars that are too old, or of two releases, are refused in one sentence")
    void refused(String clients, String server) {
        assertThatThrownBy(() -> new KafkaJars(clients, server).check())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("kafka-clients is " + clients + " and kafka_2.13 is "
                        + (server.isEmpty() ? "unknown" : server)
                        + " but the embedded broker needs 4.3 or later, the same of both: put such jars on the class"
                        + " path; where a framework manages them, set its property kafka.version");
    }

    @ParameterizedTest(name = "{displayName}: clients {0}, server {1}")
    @CsvSource({"4.3.0,4.3.1", "4.4.0,4.4.0", "4.10.0,4.10.0", "5.0.0-SNAPSHOT,5.0.0-SNAPSHOT", "'',4.3.1", "4.4.0,''"})
    @DisplayName("B129 jars of one release that is new enough are taken, and so are those that do not say")
    void taken(String clients, String server) {
        assertThatCode(() -> new KafkaJars(clients, server).check()).doesNotThrowAnyException();
    }
}
