package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.LIMIT;
import static dev.laneway.stream.SourceStage.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.ConfigurationException;
import dev.laneway.LanewayException;
import dev.laneway.Logs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Settings of streams at and beyond their limits, on a real broker")
class ExtremeSettingsTest {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final SourceStage stage = new SourceStage(1);

    private static List<Method> durations() {
        List<Method> settings = Arrays.stream(ConsumerSettings.class.getMethods())
                .filter(method -> Arrays.equals(method.getParameterTypes(), new Class<?>[] {Duration.class}))
                .toList();
        assertThat(settings).hasSizeGreaterThanOrEqualTo(7);
        return settings;
    }

    @SuppressWarnings("unchecked") // Each of these methods returns settings of the same types.
    private static ConsumerSettings<String, String> with(
            ConsumerSettings<String, String> settings, Method setting, Duration value) throws Throwable {
        try {
            return (ConsumerSettings<String, String>) setting.invoke(settings, value);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    @ParameterizedTest
    @MethodSource("durations")
    @DisplayName("B128 every duration of a source: one that is too long or too short is refused, any other works")
    void duration(Method setting) throws Throwable {
        stage.load(0, 0, 10);
        ConsumerSettings<String, String> settings = stage.settings(Map.of("max.poll.interval.ms", Integer.MAX_VALUE));
        for (Duration value :
                List.of(FOR_EVER, LONGEST, Duration.ofNanos(1), Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))) {
            Control control;
            try {
                control = KafkaSource.committable(with(settings, setting, value), stage.all())
                        .to(Committer.sink(CommitterSettings.DEFAULTS));
            } catch (ConfigurationException refused) {
                continue;
            }
            if (value.equals(LONGEST)) {
                await().atMost(LIMIT).until(() -> stage.committed(0) == 10);
            }
            control.stop();
            try {
                join(control.completion());
            } catch (Exception failed) {
                assertThat(failed).hasRootCauseInstanceOf(LanewayException.class);
            }
        }
        assertThatThrownBy(() -> with(settings, setting, FOR_EVER)).isInstanceOf(ConfigurationException.class);
    }

    @Test
    @DisplayName("B128 metadata of the user's own that is too long is told as that, once, and nothing is shortened")
    void metadata() throws Exception {
        stage.load(0, 0, 10);
        ConsumerSettings<String, String> settings = stage.settings().withName(stage.topic);
        try (Logs logs = Logs.of(stage.topic)) {
            Control control = KafkaSource.committable(settings, stage.all(), record -> "x".repeat(5_000))
                    .to(Committer.sink(CommitterSettings.DEFAULTS));
            assertThatThrownBy(() -> join(control.completion())).rootCause().isInstanceOf(OffsetMetadataTooLarge.class);
            assertThat(control.health().reasons().toString())
                    .contains("the metadata that the stream commits is longer than offset.metadata.max.bytes");
            assertThat(logs.messages()).isNotEmpty().noneMatch(line -> line.contains("What Laneway writes there"));
            assertThat(stage.committed(0)).isLessThanOrEqualTo(0);
        }
    }
}
