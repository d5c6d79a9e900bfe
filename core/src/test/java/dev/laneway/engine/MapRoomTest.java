package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Health;
import dev.laneway.Ordering;
import dev.laneway.WhenMapIsFull;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.Partition;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MapRoomTest {
    private static final int POLL = 10;
    private static final int CHARS = 60;

    private final HandHost host = new HandHost();
    private final HealthConditions conditions = new HealthConditions(host);
    private final Machine machine = new Machine(
            host,
            Scene.options(Ordering.UNORDERED, 1_000),
            Scene.plain(new Handled(Ordering.UNORDERED)),
            new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()),
            null);
    private final Partition partition = machine.partition(Records.ORDERS_0, 0);
    private final List<Lane> stuck = new ArrayList<>();

    private MapRoom room(WhenMapIsFull policy, boolean mayRepeat) {
        return new MapRoom(() -> CHARS, POLL, policy, mayRepeat, conditions);
    }

    /** Every second record is stuck, and all others are done. */
    private void fill() {
        for (int offset = 0; offset < 2_000; offset += 2) {
            partition.track.append(Records.chunk(offset, "AB"), offset + 2L);
            stuck.add(machine.startLane(partition.track));
            machine.handle(partition.track, 1);
        }
    }

    private List<String> told(MapRoom room, boolean stops) {
        for (int second = 0; second <= HealthConditions.GRACE.toSeconds(); second++) {
            room.beginTurn(host.nanoTime());
            assertThat(room.stops(partition)).isEqualTo(stops);
            host.pass(1_000);
        }
        return conditions.reasons(Health.Status.DEGRADED);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("B139 a full map stops intake unless a crash may repeat; health says either, until it has room")
    void isFull(WhenMapIsFull policy) {
        boolean stops = policy == WhenMapIsFull.STOP_INTAKE;
        MapRoom room = room(policy, true);
        assertThat(told(room, false)).isEmpty();
        fill();
        assertThat(told(room, stops))
                .singleElement()
                .asString()
                .contains(stops ? "orders-0 fetches nothing:" : "a crash now would repeat done records of orders-0:")
                .contains("(60 characters) has no room", "beyond offset 0", "Set attemptLimit");
        stuck.forEach(lane -> partition.track.lanes.finish(lane, null));
        assertThat(told(room, false)).isEmpty();
    }

    @Test
    @DisplayName("B139 health names the other choice where there is one")
    void otherChoice() {
        fill();
        assertThat(told(room(WhenMapIsFull.STOP_INTAKE, true), true))
                .singleElement()
                .asString()
                .contains("whenMapIsFull(REPEAT_AFTER_CRASH)");
        assertThat(told(room(WhenMapIsFull.STOP_INTAKE, false), true))
                .singleElement()
                .asString()
                .doesNotContain("whenMapIsFull");
    }
}
