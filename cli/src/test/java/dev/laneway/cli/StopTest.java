package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // Ten minutes, the brokers' limit here, would mean that nothing was interrupted.
@DisplayName("A request to end")
class StopTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    @DisplayName("ends a call that waits, and leaves no interrupt behind")
    void endsWaiting() throws Exception {
        Stop stop = new Stop();
        CountDownLatch begun = new CountDownLatch(1);
        FutureTask<Boolean> verb = new FutureTask<>(() -> {
            assertThatThrownBy(() -> stop.interrupting(() -> {
                        begun.countDown();
                        new CountDownLatch(1).await();
                        return true;
                    }))
                    .isInstanceOf(InterruptedException.class);
            return Thread.currentThread().isInterrupted();
        });
        Thread thread = Thread.ofPlatform().start(verb);
        begun.await();

        stop.request();

        assertThat(thread.join(LIMIT)).isTrue();
        assertThat(verb.get()).as("still interrupted").isFalse();
    }

    @Test
    @DisplayName("made before the wait ends it, too; a call that waits for nothing gives its result")
    void madeBefore() throws Exception {
        Stop stop = new Stop();
        assertThat(stop.interrupting(() -> 1)).isEqualTo(1);
        stop.request();

        assertThat(stop.interrupting(() -> 2)).isEqualTo(2);
        assertThatThrownBy(() -> stop.interrupting(() -> {
                    new CountDownLatch(1).await();
                    return true;
                }))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    @DisplayName("ends verbs that wait for a broker, and is all that they tell")
    void endsVerbs() throws Exception {
        for (String verb : new String[] {"demo", "load", "consume", "soak"}) {
            Stop stop = new Stop();
            FutureTask<Cli> waiting = new FutureTask<>(() -> verb.equals("consume") || verb.equals("load")
                    ? Cli.run(stop, verb, "--topic", "t", "--bootstrap", "127.0.0.1:9", "--broker-limit", "10m")
                    : Cli.run(stop, verb, "--bootstrap", "127.0.0.1:9", "--broker-limit", "10m"));
            Thread thread = Thread.ofPlatform().start(waiting);

            stop.request();

            assertThat(thread.join(LIMIT)).as("%s ends", verb).isTrue();
            assertThat(waiting.get().code()).as(verb).isEqualTo(Main.FAILED);
            assertThat(waiting.get().err())
                    .as(verb)
                    .contains("stopped before the end")
                    .doesNotContain("at dev.laneway");
        }
    }
}
