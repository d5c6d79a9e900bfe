package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class MappingStageTest {
    private final HandPublisher<Integer> above = new HandPublisher<>();

    @Test
    @DisplayName("B66 map asks for what it is asked for, and ends as those above do")
    void passesOn() {
        Probe<String> probe = Probe.asking(2);
        Source.from(above).map(number -> "no. " + number).subscribe(probe);
        assertThat(above.requested()).isEqualTo(2);
        above.send(1);
        above.send(2);
        assertThat(probe.elements()).containsExactly("no. 1", "no. 2");
        above.complete();
        assertThat(probe.end()).isCompleted();
    }

    @Test
    @DisplayName("B66 what map's function throws, and its null, fail the stream, cancel above, and nothing follows")
    void functionFails() {
        for (Integer bad : new Integer[] {0, 7}) {
            HandPublisher<Integer> publisher = new HandPublisher<>();
            Probe<Integer> probe = Probe.asking(10);
            Source.from(publisher).<Integer>map(n -> n == 7 ? null : 10 / n).subscribe(probe);
            publisher.send(5);
            publisher.send(bad);
            publisher.send(5);
            publisher.complete();
            assertThat(probe.elements()).containsExactly(2);
            assertThatThrownBy(() -> probe.end().getNow(null))
                    .hasRootCauseInstanceOf(bad == 7 ? NullPointerException.class : ArithmeticException.class);
            assertThat(publisher.isCancelled()).isTrue();
            assertThat(probe.violations()).isEmpty();
        }
    }

    @Test
    @DisplayName("B66 a failure from above goes through map, a cancellation from below, too")
    void ends() {
        Probe<Integer> probe = Probe.asking(1);
        Source.from(above).map(n -> n).subscribe(probe);
        above.fail(new IllegalStateException("told to"));
        assertThat(probe.end()).isCompletedExceptionally();

        HandPublisher<Integer> other = new HandPublisher<>();
        Probe<Integer> cancelling = Probe.asking(1);
        Source.from(other).map(n -> n).subscribe(cancelling);
        cancelling.cancel();
        other.send(1);
        assertThat(other.isCancelled()).isTrue();
        assertThat(cancelling.elements()).isEmpty();
    }
}
