package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.commit.TopicRetention;
import dev.laneway.engine.track.UndoneRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("When a record in the log is at risk")
class RetentionRiskTest {
    private static final long HOUR = 3_600_000;
    private static final long NOW = 1_000_000 * HOUR;
    private static final TopicRetention FOR_EVER = TopicRetention.UNKNOWN;

    private final RetentionRisk risk = new RetentionRisk(1_000, NOW);

    private static UndoneRecord record(long ageMs) {
        return new UndoneRecord(2_000, "ca978112ca1bbdca", NOW - ageMs);
    }

    @Test
    @DisplayName("B96 when less than a quarter of retention.ms is left, with what is left")
    void age() {
        TopicRetention week = new TopicRetention(168 * HOUR, false, 0);
        assertThat(risk.of(record(126 * HOUR), week, NOW)).isNull();
        assertThat(risk.of(record(127 * HOUR), week, NOW))
                .isEqualTo("it was written 127 h ago, and retention.ms is 168 h, over in 41 h");
        assertThat(risk.of(record(169 * HOUR), week, NOW)).endsWith("over: it goes with its segment of the log");
        assertThat(risk.of(record(169 * HOUR), FOR_EVER, NOW)).isNull();
    }

    @Test
    @DisplayName("B96 where its age is not known, or retention.ms, the log's start alone counts")
    void unknownAge() {
        TopicRetention hour = new TopicRetention(HOUR, false, 0);
        UndoneRecord undated = new UndoneRecord(2_000, null, -1);
        assertThat(risk.of(undated, hour, NOW)).isNull();
        risk.startsAt(1_900);
        assertThat(risk.of(undated, hour, NOW + HOUR))
                .isEqualTo("the log began at offset 1000 60 min ago, begins at 1900 now, and will get to it in about"
                        + " 6 min at that rate");
    }

    @Test
    @DisplayName("B96 when the log's start has less than a quarter of its way to the record left")
    void start() {
        for (long start = 1_000; start <= 1_750; start += 50) {
            risk.startsAt(start);
        }
        assertThat(risk.of(record(0), FOR_EVER, NOW)).isNull();
        risk.startsAt(1_751);
        assertThat(risk.of(record(0), FOR_EVER, NOW)).contains("begins at 1751 now");
        risk.startsAt(2_000);
        assertThat(risk.of(record(0), FOR_EVER, NOW)).contains("begins at 2000 now");
        risk.startsAt(2_001);
        assertThat(risk.of(record(0), FOR_EVER, NOW)).isEqualTo("the log begins at offset 2001 now, behind it");
    }

    @Test
    @DisplayName("B96 when one more deletion like the largest would reach it")
    void segments() {
        risk.startsAt(1_499);
        assertThat(risk.of(record(0), FOR_EVER, NOW)).isNull();
        risk.startsAt(1_502);
        assertThat(risk.of(record(0), FOR_EVER, NOW)).contains("begins at 1502 now");
    }

    @Test
    @DisplayName("B96 a log that stands still takes nothing, however near its start is")
    void still() {
        RetentionRisk near = new RetentionRisk(1_999, NOW);
        near.startsAt(1_999);
        assertThat(near.of(record(0), FOR_EVER, NOW + 100 * HOUR)).isNull();
    }

    @Test
    @DisplayName("B96 in a compacted topic, unless min.compaction.lag.ms is far from over")
    void compaction() {
        TopicRetention compacted = new TopicRetention(-1, true, 0);
        TopicRetention late = new TopicRetention(-1, true, 4 * HOUR);
        assertThat(risk.of(record(0), compacted, NOW)).contains("the topic is compacted");
        assertThat(risk.of(record(3 * HOUR), late, NOW)).isNull();
        assertThat(risk.of(record(3 * HOUR + 1), late, NOW)).contains("min.compaction.lag.ms is 4 h");
        assertThat(risk.of(new UndoneRecord(2_000, null, -1), late, NOW)).isNotNull();
    }
}
