package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Durations;
import dev.laneway.orders.OrderPopulation.Told;
import dev.laneway.orders.status.OrderEvent;
import dev.laneway.orders.status.OrderEvent.Delivered;
import dev.laneway.orders.status.OrderEvent.Paid;
import dev.laneway.orders.status.OrderEvent.Placed;
import dev.laneway.orders.status.OrderJson;
import dev.laneway.orders.status.OrderState;
import dev.laneway.orders.status.OrderStatus;
import dev.laneway.orders.status.StatusChange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The topology, without a broker. */
class OrderTopologyTest {
    private static final Duration FORGET_AFTER = Duration.ofMinutes(10);
    private static final long NOW = 1_769_860_800_000L;

    @TempDir
    Path directory;

    private final TrackerCounts counts = new TrackerCounts();
    private TopologyTestDriver driver;
    private TestInputTopic<String, byte[]> orders;
    private TestInputTopic<String, byte[]> progress;
    private TestOutputTopic<String, StatusChange> statuses;

    @BeforeEach
    void start() {
        Map<String, Object> configs = new HashMap<>();
        configs.put("bootstrap.servers", "nowhere:1");
        Properties properties = new Properties();
        TrackerOptions options = new TrackerOptions();
        new CommandLine(options)
                .registerConverter(Duration.class, new Durations())
                .parseArgs();
        properties.putAll(options.properties(configs, directory, 4, counts));
        driver = new TopologyTestDriver(
                OrderTopology.make(FORGET_AFTER, new ExternalCall(Duration.ZERO), counts), properties);
        orders = driver.createInputTopic("orders", new StringSerializer(), new ByteArraySerializer());
        progress = driver.createInputTopic("progress", new StringSerializer(), new ByteArraySerializer());
        statuses = driver.createOutputTopic(
                "order-status", new StringDeserializer(), OrderSerdes.change().deserializer());
    }

    @AfterEach
    void end() {
        driver.close();
    }

    private void tell(String order, OrderEvent event) {
        (event instanceof Placed ? orders : progress).pipeInput(order, OrderJson.bytes(event));
    }

    private KeyValueStore<String, OrderState> store() {
        return driver.getKeyValueStore(OrderTopology.STORE);
    }

    @Test
    @DisplayName("B180 the topic of statuses ends with what the events of each order say, however they were shuffled")
    void endsInTheSame() {
        OrderPopulation population = new OrderPopulation(new OrderPopulation.Mix(40, 0.2, 0.2, 0.2, 10), "run", 7);
        List<Told> all = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            all.add(population.next(NOW + i));
        }
        Collections.shuffle(all, new Random(7));
        Map<String, List<OrderEvent>> events = new HashMap<>();
        all.forEach(told -> {
            events.computeIfAbsent(told.order(), _ -> new ArrayList<>()).add(told.event());
            tell(told.order(), told.event());
        });
        Map<String, StatusChange> last = new HashMap<>();
        statuses.readKeyValuesToList().forEach(change -> last.put(change.key, change.value));
        assertThat(last).hasSizeGreaterThan(200);
        assertThat(last).hasSameSizeAs(events);
        events.forEach((order, of) ->
                assertThat(last.get(order)).isEqualTo(OrderState.of(of).change()));
        assertThat(counts.late.sum()).isPositive();
        assertThat(counts.repeated.sum()).isPositive();
        assertThat(counts.records()).isEqualTo(2_000);
    }

    @Test
    @DisplayName(
            "B181 an order that has ended is forgotten in time, and an event that is told again does not revive it")
    void forgets() {
        tell("a", new Placed(NOW, "c", 1, ""));
        tell("a", new Delivered(NOW + 5));
        tell("open", new Placed(NOW, "c", 1, ""));
        driver.advanceWallClockTime(Duration.ofSeconds(2));
        assertThat(store().get("a")).isNotNull();

        tell("b", new Placed(NOW + FORGET_AFTER.toMillis() + 6, "c", 1, ""));
        driver.advanceWallClockTime(Duration.ofSeconds(2));
        assertThat(store().get("a")).isNull();
        assertThat(store().get("open")).isNotNull();
        assertThat(counts.forgotten.sum()).isEqualTo(1);

        tell("a", new Paid(NOW + 3));
        assertThat(store().get("a")).isNull();
        assertThat(counts.tooLate.sum()).isEqualTo(1);
        assertThat(statuses.readKeyValuesToList())
                .extracting(change -> change.key)
                .containsExactly("a", "a", "open", "b");
    }

    @Test
    @DisplayName(
            "B181 an event that is processed again tells the status again: after a crash it may not have been told")
    void tellsAgain() {
        tell("a", new Paid(NOW));
        tell("a", new Paid(NOW));
        assertThat(statuses.readValuesToList())
                .containsExactly(new StatusChange(OrderStatus.PAID, NOW), new StatusChange(OrderStatus.PAID, NOW));
    }

    @Test
    @DisplayName("B181 a sweep goes through all orders, some at a time, also past many that are open")
    void sweepsAll() {
        for (int i = 0; i < 1_000; i++) {
            tell("open-" + i, new Placed(NOW, "c", 1, ""));
            tell("over-" + i, new Delivered(NOW));
        }
        tell("last", new Placed(NOW + FORGET_AFTER.toMillis() + 1, "c", 1, ""));
        for (int i = 0; i < 7; i++) {
            driver.advanceWallClockTime(Duration.ofSeconds(1));
        }
        assertThat(counts.forgotten.sum()).isBetween(1L, 999L);
        for (int i = 0; i < 20; i++) {
            driver.advanceWallClockTime(Duration.ofSeconds(1));
        }
        assertThat(counts.forgotten.sum()).isEqualTo(1_000);
        assertThat(store().get("open-0")).isNotNull();
    }

    @Test
    @DisplayName("B181 a record that is no event, or has no key or no value, is counted and left out")
    void leavesOut() {
        long now = System.currentTimeMillis();
        progress.pipeInput("a", new byte[] {1, 2, 3});
        progress.pipeInput(null, OrderJson.bytes(new Paid(now)));
        progress.pipeInput("a", null);
        tell("a", new Paid(now));
        assertThat(counts.malformed.sum()).isEqualTo(3);
        assertThat(statuses.readValue()).isEqualTo(new StatusChange(OrderStatus.PAID, now));
        assertThat(statuses.isEmpty()).isTrue();
    }

    @Test
    @DisplayName("B181 a clock that goes a year ahead makes nobody else's events too late")
    void clockAhead() {
        long now = System.currentTimeMillis();
        tell("ahead", new Paid(now + Duration.ofDays(365).toMillis()));
        tell("right", new Paid(now));
        assertThat(counts.tooLate.sum()).isZero();
        assertThat(store().get("right")).isNotNull();
    }
}
