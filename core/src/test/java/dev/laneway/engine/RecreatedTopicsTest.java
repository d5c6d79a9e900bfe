package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Health;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("When topic ids are compared")
class RecreatedTopicsTest {
    private static final String TOPIC = Records.ORDERS_0.topic();
    private static final Uuid FIRST = new Uuid(1, 1);
    private static final Uuid SECOND = new Uuid(1, 2);

    private final HandHost host = new HandHost();
    private final HealthConditions conditions = new HealthConditions(host, Duration.ofSeconds(10));
    private final Machine machine = Machine.plain(host);
    private final Partition partition = machine.partition(Records.ORDERS_0, 0);
    private final List<Partition> begunAnew = new ArrayList<>();
    private final RecreatedTopics topics = new RecreatedTopics(conditions, begunAnew::add);

    private void look(Optional<Uuid> id) {
        topics.look(Map.of(TOPIC, id), List.of(partition));
    }

    private void look(Uuid id) {
        look(Optional.of(id));
    }

    private List<String> reasons() {
        host.pass(6_000);
        return conditions.reasons(Health.Status.DEGRADED);
    }

    @Test
    @DisplayName("B109 another id makes a partition begin anew, once")
    void begunAnewOnce() {
        look(FIRST);
        look(FIRST);
        assertThat(begunAnew).isEmpty();
        look(SECOND);
        look(SECOND);
        look(FIRST);
        assertThat(begunAnew).containsExactly(partition);
        assertThat(partition.isOfDeletedTopic).isTrue();
    }

    @Test
    @DisplayName("B109 the partition that follows is not begun anew by a broker that still tells the former id")
    void brokerIsBehind() {
        look(FIRST);
        look(SECOND);
        Partition next = machine.partition(Records.ORDERS_0, 0);
        topics.look(Map.of(TOPIC, Optional.of(FIRST)), List.of(next));
        topics.look(Map.of(TOPIC, Optional.of(SECOND)), List.of(next));
        topics.look(Map.of(TOPIC, Optional.of(FIRST)), List.of(next));
        assertThat(begunAnew).containsExactly(partition);
        assertThat(next.isOfDeletedTopic).isFalse();
        topics.look(Map.of(TOPIC, Optional.of(new Uuid(1, 3))), List.of(next));
        assertThat(begunAnew).containsExactly(partition, next);
    }

    @Test
    @DisplayName("B109 while a topic does not exist nothing of it is committed, which health tells until it is over")
    void deleted() {
        look(FIRST);
        look(Optional.empty());
        assertThat(begunAnew).isEmpty();
        assertThat(partition.isOfDeletedTopic).isTrue();
        assertThat(reasons()).singleElement().asString().contains(TOPIC, "is not committed", "was deleted");
        topics.look(Map.of(), List.of(partition)); // Nobody has answered.
        assertThat(partition.isOfDeletedTopic).isTrue();
        look(FIRST); // The broker had not known it yet.
        assertThat(partition.isOfDeletedTopic).isFalse();
        assertThat(reasons()).isEmpty();
        look(Optional.empty());
        topics.look(Map.of(TOPIC, Optional.empty()), List.of());
        assertThat(reasons()).isEmpty();
        assertThat(begunAnew).isEmpty();
    }

    @Test
    @DisplayName("B109 brokers that know of no ids say nothing")
    void withoutIds() {
        look(FIRST);
        look(Uuid.ZERO_UUID);
        assertThat(begunAnew).isEmpty();
        assertThat(partition.isOfDeletedTopic).isFalse();
    }
}
