package dev.laneway.ops.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScalingPolicyTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "autoscale.md");
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "replicas.min ; 0 ; replicas.min is 0 but must be a whole number from 1 to 100000",
                "replicas.max ; 2.5 ; replicas.max is 2.5 but must be a whole number",
                "utilization.target ; NaN ; utilization.target is unknown but must be a number from 0.01 to 1",
                "utilization.target ; x ; utilization.target is x but must be a number: write it like 0.7",
                "utilization.target ; 0.9 ; utilization.target is 0.9 but must be at most utilization.max, which is"
                        + " 0.8",
                "replicas.min ; 40 ; replicas.min is 40 but must be at most replicas.max, which is 32",
                "replicas.mim ; 4 ; replicas.mim is no option of a policy: it must be one of align,",
                "zone ; Nowhere ; zone is Nowhere but must be a time zone: write it like Europe/Berlin",
                "schedule.a ; 0 8 * * 1-5 | 10h ; schedule.a is 0 8 * * 1-5 | 10h but must be when it starts",
                "schedule.a ; 0 8 * * 1-5 | 10h | 4..40 ; schedule.a has the bounds 4..40 but they must ascend",
                "schedule.a ; 0 25 * * * | 10h | 4..8 ; 25 is not from 0 to 23",
                "excluded.a ; 0 8 * * | 10h ; has 4 fields",
                "excluded.a ; 0 8 * * * | 800h ; excluded.a lasts 800h but must last from 1m to 744h"
            })
    @DisplayName("B161 a wrong policy is refused: option, value, rule and remedy")
    void refuses(String key, String value, String message) {
        assertThatThrownBy(() -> ScalingPolicy.of(Map.of(key, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    @DisplayName("B161 docs/autoscale.md has every option with its unit, default, meaning and source, and every rule")
    void documented() throws IOException {
        String text = Files.readString(DOCUMENT);
        assertThat(text)
                .contains(Arrays.stream(ScalingOption.values())
                        .map(option -> "| `" + option.key() + "` | " + plain(option.usual()) + " | " + option.unit()
                                + " | " + option.meaning() + " | " + option.source() + " |\n")
                        .collect(Collectors.joining()));
        assertThat(text)
                .contains(Arrays.stream(ScalingRule.values())
                        .map(rule -> "| `" + name(rule.name()) + "` | "
                                + name(rule.kind().name()) + " | " + rule.words() + " |\n")
                        .collect(Collectors.joining()));
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static String name(String constant) {
        return constant.toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    @Test
    @DisplayName("B161 cron's times: ranges, steps, lists, either day, and local time over a change of the clock")
    void cron() {
        assertThat(last("0 8 * * 1-5", "2026-03-30T07:59+02:00")).isEqualTo("2026-03-27T08:00+01:00");
        assertThat(last("0 8 * * 7", "2026-03-30T07:59+02:00")).isEqualTo("2026-03-29T08:00+02:00");
        assertThat(last("*/15 9-17/4 * * *", "2026-03-30T14:20+02:00")).isEqualTo("2026-03-30T13:45+02:00");
        assertThat(last("0 0 1 * 1", "2026-04-04T12:00+02:00")).isEqualTo("2026-04-01T00:00+02:00");
        assertThat(last("30 2 * * *", "2026-03-29T12:00+02:00"))
                .as("half past two is left out on that day")
                .isEqualTo("2026-03-28T02:30+01:00");
        assertThat(last("0 0 31 2 *", "2026-04-04T12:00+02:00")).isEqualTo("null");
    }

    private static String last(String cron, String time) {
        ZonedDateTime found = Cron.of(cron).lastBefore(ZonedDateTime.parse(time).withZoneSameInstant(BERLIN), 10_000);
        return found == null ? "null" : found.toOffsetDateTime().toString();
    }

    @Test
    @DisplayName("B161 a period ends when it says, over midnight, too")
    void period() {
        ScheduledPeriod night = ScheduledPeriod.of("excluded.night", "0 22 * * * | 8h", false);
        long five = ZonedDateTime.parse("2026-05-02T05:00+02:00").toInstant().toEpochMilli();
        assertThat(night.endsAt(five, BERLIN)).isEqualTo(five + 3_600_000);
        assertThat(night.endsAt(five + 3_600_000, BERLIN)).isNull();
        assertThat(List.of(night.name(), "" + night.minutes())).containsExactly("night", "480");
    }
}
