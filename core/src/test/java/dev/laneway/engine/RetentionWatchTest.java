package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.engine.commit.ClusterQuestions;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.LaneSpill;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import dev.laneway.engine.track.TrackDiagnostics;
import dev.laneway.engine.track.UndoneRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("When the cluster is asked for retention")
class RetentionWatchTest {
    /** Without an address of a broker, the first question fails. */
    private final ClusterQuestions cluster = ClusterQuestions.as(Map.of(), Duration.ofSeconds(1), false);

    private final HandHost host = new HandHost();
    private final Machine machine = Machine.plain(host);
    private final Partition partition = partition();
    private @Nullable UndoneRecord inLog;

    private Partition partition() {
        Track track = machine.track(Records.ORDERS_0, 0, null, _ -> new LaneSpill() {
            @Override
            public @Nullable UndoneRecord oldestInLog() {
                return inLog;
            }
        });
        return new Partition(Records.ORDERS_0, track, new TrackDiagnostics(track, host), 0);
    }

    private void assertIsAsked(RetentionWatch watch, boolean isAsked) {
        if (isAsked) {
            assertThatThrownBy(() -> watch.look(cluster, List.of(partition))).isInstanceOf(KafkaException.class);
        } else {
            assertThatCode(() -> watch.look(cluster, List.of(partition))).doesNotThrowAnyException();
        }
    }

    private void assertIsAskedOnceIn(Duration pause, Duration healthLimit) {
        RetentionWatch watch = new RetentionWatch(host, machine.conditions, healthLimit);
        inLog = null;
        assertIsAsked(watch, false);
        inLog = new UndoneRecord(5, "ca978112ca1bbdca", -1);
        assertIsAsked(watch, true);
        host.pass(pause.toMillis() - 1);
        assertIsAsked(watch, false);
        host.pass(1);
        assertIsAsked(watch, true);
        inLog = null;
        host.pass(pause.toMillis());
        assertIsAsked(watch, false);
    }

    @Test
    @DisplayName("B96 once a minute, and only while a record waits in the log alone")
    void onceAMinute() {
        assertThat(partition.watch.oldestInLog()).isNull();
        assertIsAskedOnceIn(Duration.ofMinutes(1), Duration.ofSeconds(10));
        assertIsAskedOnceIn(Duration.ofMinutes(1), Duration.ofDays(1_000_000));
    }

    @Test
    @DisplayName("B96 in six times healthLimit, where that is shorter")
    void shortLimit() {
        assertIsAskedOnceIn(Duration.ofSeconds(6), Duration.ofSeconds(1));
    }
}
