package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** groupedWithin, in time that passes when the test says so. */
@Timeout(30)
class GroupingStageTest {
    private static final int SIZE = 3;
    private static final long TIME = 1_000;

    private final HandPublisher<Integer> above = new HandPublisher<>();
    private final HandAlarm alarm = new HandAlarm();
    private final GroupingStage<Integer> grouping = new GroupingStage<>(SIZE, TIME, alarm);
    private final Probe<List<Integer>> probe = Probe.asking(0);

    GroupingStageTest() {
        above.subscribe(grouping);
        grouping.subscribe(probe);
    }

    private void send(int from, int to) {
        IntStream.range(from, to).forEach(above::send);
    }

    @Test
    @DisplayName("B66 a full group goes down at once, the time of the next begins with its first element")
    void full() {
        probe.request(10);
        send(0, 3);
        assertThat(probe.elements()).containsExactly(List.of(0, 1, 2));
        alarm.pass(5 * TIME);
        send(3, 4);
        alarm.pass(TIME - 1);
        assertThat(probe.elements()).hasSize(1);
        alarm.pass(1);
        assertThat(probe.elements()).containsExactly(List.of(0, 1, 2), List.of(3));
        assertThat(above.requested()).isEqualTo(SIZE + 4);
    }

    @Test
    @DisplayName("B66 the time of a group that went down full ends no later one")
    void timeOfTheFullOne() {
        probe.request(10);
        send(0, 1);
        alarm.pass(TIME / 2);
        send(1, 4);
        alarm.pass(TIME / 2);
        assertThat(probe.elements()).containsExactly(List.of(0, 1, 2));
        assertThat(alarm.pending()).isEqualTo(1);
        alarm.pass(TIME / 2);
        assertThat(probe.elements()).containsExactly(List.of(0, 1, 2), List.of(3));
        assertThat(alarm.pending()).isZero();
    }

    @Test
    @DisplayName("B66 a call of the alarm that comes too late to be forgotten ends no later group")
    void lateCall() {
        List<Runnable> calls = new ArrayList<>();
        GroupingStage<Integer> late = new GroupingStage<>(2, TIME, (nanos, call) -> {
            calls.add(call);
            return () -> {};
        });
        HandPublisher<Integer> publisher = new HandPublisher<>();
        Probe<List<Integer>> groups = Probe.asking(10);
        publisher.subscribe(late);
        late.subscribe(groups);
        IntStream.range(0, 3).forEach(publisher::send);
        calls.get(0).run();
        assertThat(groups.elements()).containsExactly(List.of(0, 1));
        calls.get(1).run();
        assertThat(groups.elements()).containsExactly(List.of(0, 1), List.of(2));
    }

    @Test
    @DisplayName("B66 a group that nobody asks for grows on, up to its size, and no more is asked for")
    void noDemand() {
        send(0, 1);
        alarm.pass(TIME);
        send(1, 2);
        assertThat(above.requested()).isEqualTo(SIZE);
        probe.request(1);
        assertThat(probe.elements()).containsExactly(List.of(0, 1));
        send(2, 5);
        alarm.pass(TIME);
        assertThat(probe.elements()).hasSize(1);
        assertThat(above.requested()).isEqualTo(SIZE + 2);
        probe.request(1);
        assertThat(probe.elements()).containsExactly(List.of(0, 1), List.of(2, 3, 4));
    }

    @Test
    @DisplayName("B66 the last group goes down when the stream completes, and no empty one does")
    void complete() {
        probe.request(1);
        send(0, 4);
        above.complete();
        assertThat(probe.end()).isNotDone();
        probe.request(1);
        assertThat(probe.elements()).containsExactly(List.of(0, 1, 2), List.of(3));
        assertThat(probe.end()).isCompleted();
        assertThat(alarm.pending()).isZero();
        assertThat(probe.violations()).isEmpty();
    }

    @Test
    @DisplayName("B66 a stream without elements completes without a group")
    void empty() {
        above.complete();
        assertThat(probe.elements()).isEmpty();
        assertThat(probe.end()).isCompleted();
        assertThat(alarm.made()).isZero();
    }

    @Test
    @DisplayName("B66 cancelling forgets the group and its time")
    void cancel() {
        probe.request(1);
        send(0, 2);
        probe.cancel();
        assertThat(alarm.pending()).isZero();
        assertThat(above.isCancelled()).isTrue();
        alarm.pass(TIME);
        assertThat(probe.elements()).isEmpty();
    }

    @Test
    @DisplayName("B66 the real alarm ends a group, too, and groups cannot be changed")
    void real() {
        HandPublisher<Integer> publisher = new HandPublisher<>();
        Probe<List<Integer>> group = Probe.asking(1);
        Source.from(publisher).groupedWithin(SIZE, Duration.ofMillis(5)).subscribe(group);
        publisher.send(1);
        org.awaitility.Awaitility.await().until(() -> group.size() == 1);
        assertThat(group.elements()).containsExactly(List.of(1));
        assertThatThrownBy(() -> group.elements().getFirst().add(2)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    @DisplayName("B52 a size below 1 and a time that is not positive are refused with their remedy")
    void wrongOptions() {
        Source<Integer> source = Source.from(new HandPublisher<>());
        assertThatThrownBy(() -> source.groupedWithin(0, Duration.ofSeconds(1)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("size is 0");
        assertThatThrownBy(() -> source.groupedWithin(1, Duration.ZERO))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("time is PT0S");
        assertThatThrownBy(() -> source.groupedWithin(1, Duration.ofDays(100_000)))
                .isInstanceOf(ConfigurationException.class);
    }
}
