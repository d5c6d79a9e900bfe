package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.ConfigurationException;
import dev.laneway.FailurePolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProducerSettingsTest {
    private static final ProducerSettings<String, String> SETTINGS = of(Map.of("bootstrap.servers", "here:9092"));

    private static ProducerSettings<String, String> of(Map<String, ?> config) {
        return ProducerSettings.of(config, new StringSerializer(), new StringSerializer());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "bootstrap.servers, -, missing",
                "bootstrap.servers, ' ', blank",
                "acks, 0, remove the property",
                "transactional.id, mine, remove the property",
                "key.serializer, org.apache.kafka.common.serialization.StringSerializer, ProducerSettings.of",
                "value.serializer, org.apache.kafka.common.serialization.LongSerializer, ProducerSettings.of",
                "lingr.ms, 5, did you mean linger.ms?"
            })
    @DisplayName("B52 a property that cannot work is refused with its value and the remedy")
    void properties(String name, String value, String remedy) {
        Map<String, Object> config = new HashMap<>(SETTINGS.kafkaConfig());
        config.remove(name);
        if (value != null) {
            config.put(name, value);
        }
        assertThatThrownBy(() -> of(config))
                .isInstanceOfSatisfying(
                        ConfigurationException.class,
                        refusal -> assertThat(refusal.option()).isEqualTo(name))
                .hasMessageContaining(remedy);
    }

    @Test
    @DisplayName("B52 limits that cannot work are refused with option, value, rule and remedy")
    void limits() {
        assertThatThrownBy(() -> SETTINGS.withMaxInFlightRecords(0))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("maxInFlightRecords is 0 but must be at least 1");
        assertThatThrownBy(() -> SETTINGS.withMaxInFlightBytes(0))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("maxInFlightBytes is 0");
        assertThatThrownBy(() -> SETTINGS.withCloseLimit(Duration.ofSeconds(-1)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("closeLimit is PT-1S");
        assertThatThrownBy(() -> SETTINGS.withOnFailure(FailurePolicy.deadLetter("dlq")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("KafkaSink.flow");
    }

    @Test
    @DisplayName("B52 with a producer of the caller's, properties would do nothing: they are refused")
    void propertiesBesideProducer() {
        ProducerSettings<String, String> shared =
                ProducerSettings.of(new MockProducer<>(), new StringSerializer(), new StringSerializer());
        assertThatThrownBy(() -> shared.withProperty("linger.ms", 5))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("give the properties to that producer");
    }

    @Test
    @DisplayName("with... changes one thing and leaves the rest and the original alone")
    void with() {
        ProducerSettings<String, String> changed = SETTINGS.withProperty("linger.ms", 5)
                .withMaxInFlightRecords(7)
                .withMaxInFlightBytes(8)
                .withOnFailure(FailurePolicy.skip())
                .withCloseLimit(Duration.ofSeconds(9));
        assertThat(changed.kafkaConfig()).containsEntry("linger.ms", 5).containsEntry("bootstrap.servers", "here:9092");
        assertThat(changed.maxInFlightRecords()).isEqualTo(7);
        assertThat(changed.maxInFlightBytes()).isEqualTo(8);
        assertThat(changed.onFailure().last()).isInstanceOf(FailurePolicy.Last.Skip.class);
        assertThat(changed.closeLimit()).isEqualTo(Duration.ofSeconds(9));
        assertThat(SETTINGS.kafkaConfig()).doesNotContainKey("linger.ms");
        assertThat(SETTINGS.maxInFlightRecords()).isEqualTo(65_536);
    }

    @Test
    @DisplayName("records that are bytes already go as they are")
    void bytes() {
        ProducerSettings<byte[], byte[]> settings = ProducerSettings.of(
                Map.of("bootstrap.servers", "here:9092"), new ByteArraySerializer(), new ByteArraySerializer());
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>("out", new byte[3], new byte[4]);
        assertThat(settings.serialize(record)).isSameAs(record);
        assertThat(ProducerSettings.bytes(record)).isEqualTo(7);
        assertThat(ProducerSettings.bytes(new ProducerRecord<>("out", null, null)))
                .isZero();
    }
}
