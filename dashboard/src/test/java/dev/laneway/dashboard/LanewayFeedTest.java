package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Health;
import dev.laneway.PauseReason;
import dev.laneway.State;
import dev.laneway.Utilisation;
import dev.laneway.dashboard.Frame.Hold;
import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult.Outcome;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rules are those of {@code laneway check}, which has tests of its own. Each second of a script is one look. */
class LanewayFeedTest {
    private static final long SECOND = 1_000_000_000L;

    private static final int TABLE = 20_000;
    /** What took 30 tables took less than 100 ms where processors are usual; on others both take up to three times. */
    private static final double MOST_TABLES = 26;

    private final ScriptedLaneway laneway = new ScriptedLaneway();
    private final long[] nanos = {SECOND};
    private final LanewayFeed feed = new LanewayFeed(laneway, "test", null, () -> nanos[0], () -> nanos[0] / 1_000_000);
    private long processed;
    private long lag;
    private long busyNanos;
    private long blockedNanos;
    private long idleNanos;

    /**
     * A number of seconds.
     *
     * @param busy of ten workers, and the share of their time in which they wait
     */
    private Frame seconds(int number, long appended, long done, int busy, double waiting) {
        Frame frame = null;
        for (int i = 0; i < number; i++) {
            nanos[0] += SECOND;
            processed += done;
            lag += appended - done;
            busyNanos += busy * SECOND;
            blockedNanos += (long) (busy * SECOND * waiting);
            idleNanos += (10 - busy) * SECOND;
            laneway.counters = ScriptedLaneway.counters(processed, 0, 1, 0);
            laneway.utilisation = new Utilisation(busyNanos, blockedNanos, idleNanos, 10);
            laneway.running = busy;
            laneway.partitions = List.of(ScriptedLaneway.partition(0, processed, lag, busy, laneway.held, null, null));
            frame = feed.look();
        }
        return frame;
    }

    @Test
    @DisplayName("B156 A consumer that keeps up is healthy, with its rates, its lag and how old that is")
    void healthy() {
        Frame frame = seconds(20, 100, 100, 2, 0.9);
        assertThat(frame.verdict().outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(frame.totals().done()).isEqualTo(100);
        assertThat(frame.totals().appended()).isEqualTo(100);
        assertThat(frame.totals().busy()).isEqualTo(0.2);
        assertThat(frame.totals().lag()).isZero();
        assertThat(frame.totals().clear()).isEqualTo(Clearing.NOW);
    }

    @Test
    @DisplayName("B156 A lag that shrinks is healthy, and the page tells when nothing waits any more")
    void catchesUp() {
        lag = 10_000;
        Frame frame = seconds(20, 100, 300, 9, 0.9);
        assertThat(frame.verdict().outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(frame.totals().clear().seconds()).isBetween(29.0, 31.0);
        assertThat(frame.totals().clear().low())
                .isLessThanOrEqualTo(frame.totals().clear().seconds());
    }

    @Test
    @DisplayName("B156 The next look comes when a record becomes stuck, not up to a second later")
    void looksInTime() {
        seconds(5, 100, 100, 2, 0.9);
        assertThat(feed.pauseNanos()).isEqualTo(SECOND);
        look(300);
        assertThat(feed.pauseNanos()).isEqualTo(SECOND);
        look(1_300);
        assertThat(feed.pauseNanos()).isBetween(199_000_000L, 201_000_000L);
        look(1_501);
        assertThat(feed.look().verdict().cause()).isEqualTo(Cause.STUCK_KEY);
        assertThat(feed.pauseNanos()).isEqualTo(SECOND);
    }

    private void look(long oldestMillis) {
        laneway.partitions =
                List.of(ScriptedLaneway.partition(0, processed, lag, 1, 1, Duration.ofMillis(oldestMillis), null));
        feed.look();
    }

    @Test
    @DisplayName("B156 B167 Too few workers: all are busy, and the records take no longer than they did")
    void tooFewWorkers() {
        Frame frame = seconds(20, 200, 100, 10, 0.9);
        assertThat(frame.verdict().cause()).isEqualTo(Cause.TOO_FEW_THREADS);
        assertThat(frame.verdict().remedy()).contains("from 10 to 24");
        assertThat(frame.partitions().getFirst().hold()).isEqualTo(Hold.WORKERS);
    }

    @Test
    @DisplayName("B156 B167 A slow dependency: all are busy, and each record takes longer than before")
    void slowDependency() {
        seconds(20, 200, 200, 2, 0.9);
        Frame frame = seconds(20, 200, 100, 10, 0.9);
        assertThat(frame.verdict().cause()).isEqualTo(Cause.EXTERNAL_CALL);
        assertThat(frame.verdict().sentence()).contains("slower");
        frame = seconds(600, 200, 100, 10, 0.9);
        assertThat(frame.verdict().cause()).as("as it was before is remembered").isEqualTo(Cause.EXTERNAL_CALL);
    }

    @Test
    @DisplayName("B167 The page gives the words, the remedy and the evidence that check gives, and what else it found")
    void asCheck() {
        laneway.held = 1_000;
        laneway.health = new Health(Health.Status.UP, List.of(Health.Cause.UNSAFE_TRANSACTIONS.reason("upgrade")));
        Frame frame = seconds(20, 200, 100, 1, 0.9);
        assertThat(frame.verdict().sentence()).startsWith("Limited: " + Cause.HOT_KEY.words() + ". ");
        assertThat(frame.verdict().remedy()).isNotEmpty();
        assertThat(frame.verdict().evidence())
                .anySatisfy(line -> assertThat(line).contains("test: holds 1,000"));
        assertThat(frame.remarks())
                .contains(Health.Cause.UNSAFE_TRANSACTIONS.reason("upgrade"))
                .contains("Also seen: " + Cause.UNSAFE_TRANSACTIONS.words() + ".");
    }

    @Test
    @DisplayName("B156 A hot key: workers are idle while records are held")
    void hotKey() {
        laneway.held = 1_000;
        Frame frame = seconds(20, 200, 100, 1, 0.9);
        assertThat(frame.verdict().cause()).isEqualTo(Cause.HOT_KEY);
        assertThat(frame.verdict().blame()).isEqualTo("orders-0");
        assertThat(frame.partitions().getFirst().hold()).isEqualTo(Hold.KEYS);
    }

    @Test
    @DisplayName("B156 Kafka is slow: workers are idle, nothing is held, and the lag grows")
    void kafkaBound() {
        Frame frame = seconds(20, 200, 100, 1, 0.9);
        assertThat(frame.verdict().cause()).isEqualTo(Cause.KAFKA_BOUND);
    }

    @Test
    @DisplayName("B156 A stuck key is told after 1.5 s, if others take much less; its partition is to blame")
    void stuckKey() {
        seconds(10, 100, 100, 2, 0.9);
        laneway.partitions = List.of(
                ScriptedLaneway.partition(0, 1_000, 5, 1, 5, Duration.ofMillis(1_400), null),
                ScriptedLaneway.partition(1, 1_000, 5, 1, 5, Duration.ofMillis(30), null));
        nanos[0] += SECOND;
        assertThat(feed.look().verdict().cause()).isNull();
        laneway.partitions = List.of(ScriptedLaneway.partition(0, 1_000, 5, 1, 5, Duration.ofMillis(1_600), null));
        nanos[0] += SECOND;
        Frame frame = feed.look();
        assertThat(frame.verdict().cause()).isEqualTo(Cause.STUCK_KEY);
        assertThat(frame.verdict().sentence()).contains("orders-0@1000");
        assertThat(frame.verdict().blame()).isEqualTo("orders-0");
        assertThat(frame.partitions().getFirst().hold()).isEqualTo(Hold.STUCK);
    }

    @Test
    @DisplayName("B156 A consumer that does nothing while records wait is stuck, unless they wait for their time")
    void still() {
        lag = 500;
        Frame frame = seconds(12, 0, 0, 0, 0);
        assertThat(frame.verdict().cause()).isEqualTo(Cause.STUCK_MEMBER);
        laneway.partitions = List.of(ScriptedLaneway.partition(0, processed, lag, 0, 0, null, PauseReason.DELAYED));
        for (int second = 0; second < 5; second++) {
            nanos[0] += SECOND;
            feed.look();
        }
        assertThat(feed.look().verdict().outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(feed.look().partitions().getFirst().hold()).isEqualTo(Hold.TIME);
    }

    @Test
    @DisplayName("B156 Where every handler is as slow, no record is stuck")
    void slowIsNotStuck() {
        seconds(20, 1, 1, 5, 0.9);
        laneway.partitions = List.of(ScriptedLaneway.partition(0, 1_000, 5, 1, 5, Duration.ofSeconds(6), null));
        nanos[0] += SECOND;
        assertThat(feed.look().verdict().cause()).isNotEqualTo(Cause.STUCK_KEY);
    }

    @Test
    @DisplayName("B156 Rebalances again and again, failures without success, and a failed consumer are told as such")
    void broken() {
        seconds(10, 100, 100, 2, 0.9);
        for (int rebalances = 2; rebalances < 5; rebalances++) {
            assertThat(feed.look().verdict().cause()).isNull();
            laneway.counters = ScriptedLaneway.counters(processed, 0, rebalances, 0);
            nanos[0] += SECOND;
        }
        assertThat(feed.look().verdict().cause()).isEqualTo(Cause.REBALANCE_STORM);
        seconds(70, 100, 100, 2, 0.9);
        for (int i = 1; i < 15; i++) {
            laneway.counters = ScriptedLaneway.counters(processed, i, 4, 0);
            nanos[0] += SECOND;
            feed.look();
        }
        assertThat(feed.look().verdict().cause()).isEqualTo(Cause.ATTEMPTS_FAIL);
        laneway.partitions = List.of(ScriptedLaneway.partition(0, processed, 5, 1, 5, null, null));
        for (int second = 0; second < 5; second++) {
            nanos[0] += SECOND;
            feed.look();
        }
        assertThat(feed.look().verdict().cause()).as("of one key").isEqualTo(Cause.POISON_RECORD);
        laneway.state = State.FAILED;
        laneway.health = new Health(Health.Status.DOWN, List.of(Health.Cause.MEMBER_FAILED.reason("no right")));
        assertThat(feed.look().verdict())
                .returns(Outcome.BROKEN, Verdict::outcome)
                .returns("Broken: a member has failed. test: no right.", Verdict::sentence);
    }

    @Test
    @DisplayName("B156 What a user has paused is told as paused")
    void paused() {
        seconds(10, 100, 100, 2, 0.9);
        laneway.partitions = List.of(ScriptedLaneway.partition(0, 1_000, 5_000, 0, 5, null, PauseReason.USER));
        nanos[0] += SECOND;
        Frame frame = feed.look();
        assertThat(frame.verdict().cause()).isEqualTo(Cause.PAUSED);
        assertThat(frame.verdict().sentence()).contains("paused by the user");
        assertThat(frame.partitions().getFirst().hold()).isEqualTo(Hold.PAUSED);
    }

    @Test
    @DisplayName("B156 Partitions that have gone to another member hold nothing up")
    void gone() {
        lag = 500;
        seconds(7, 0, 0, 0, 0);
        laneway.partitions = List.of();
        Frame frame = feed.look();
        for (int second = 0; second < 40; second++) {
            nanos[0] += SECOND;
            frame = feed.look();
            assertThat(frame.verdict().outcome()).isEqualTo(Outcome.UNKNOWN);
        }
        assertThat(frame.verdict().sentence()).contains("no partition");
    }

    @Test
    @DisplayName("B169 Looking at 1,000 partitions and judging them takes less than a tenth of a usual processor")
    void manyPartitions() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long looks = 0;
        long yardstick = 0;
        for (int second = 0; second < 120; second++) {
            nanos[0] += SECOND;
            long offset = second;
            laneway.partitions = IntStream.range(0, 1_000)
                    .mapToObj(number -> ScriptedLaneway.partition(number, 7 * offset, number % 97))
                    .toList();
            long before = threads.getCurrentThreadCpuTime();
            feed.look();
            long between = threads.getCurrentThreadCpuTime();
            assertThat(table()).isEqualTo(TABLE);
            if (second >= 90) { // The window is full, and the code is warm.
                looks += between - before;
                yardstick += threads.getCurrentThreadCpuTime() - between;
            }
        }
        double times = (double) looks / yardstick;
        System.out.println("1,000 partitions: " + looks / 30_000_000 + " ms of processor time a look, " + times
                + " times that of a table");
        assertThat(times).as("a look, in times of filling a table").isLessThan(MOST_TABLES);
    }

    /** Work that takes as much longer as a look does where the processor is slow, or shared. */
    private static int table() {
        Map<String, Long> table = new HashMap<>();
        for (long i = 0; i < TABLE; i++) {
            table.put("partition-" + i, i);
        }
        int found = 0;
        for (long i = 0; i < TABLE; i++) {
            found += Objects.equals(table.get("partition-" + i), i) ? 1 : 0;
        }
        return found;
    }

    @Test
    @DisplayName("B156 How long the first record waits is bounded by when the log's end was seen beside it")
    void ages() {
        AppendTrail trail = new AppendTrail(10);
        trail.add(0, 100);
        trail.add(1, 100);
        trail.add(2, 150);
        trail.add(3, 200);
        assertThat(trail.age(10, 120).low()).isEqualTo(8);
        assertThat(trail.age(10, 120).high()).isEqualTo(9);
        assertThat(trail.age(10, 100).high()).isEqualTo(9);
        assertThat(trail.age(10, 50).isBounded()).isFalse();
        assertThat(trail.age(10, 50).low()).isEqualTo(10);
        assertThat(trail.age(10, 200).high()).isZero();
        assertThat(trail.rate(3, 2)).isEqualTo(50);
    }
}
