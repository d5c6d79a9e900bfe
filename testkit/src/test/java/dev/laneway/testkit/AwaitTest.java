package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.TopicExistsException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
@DisplayName("Await")
class AwaitTest {

    @Test
    @DisplayName("until ends when nothing is in the way")
    void untilEnds() {
        AtomicInteger asked = new AtomicInteger();
        Await.until(
                "three",
                Duration.ofSeconds(20),
                () -> asked.incrementAndGet() < 3 ? Optional.of("not yet") : Optional.empty());
        assertThat(asked).hasValue(3);
    }

    @Test
    @DisplayName("until names what is still in the way at its limit")
    void untilLimit() {
        assertThatThrownBy(() -> Await.until("peace", Duration.ofMillis(20), () -> Optional.of("two are quarrelling")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("peace did not happen within PT0.02S: two are quarrelling");
    }

    @Test
    @DisplayName("until gives way to an interrupt, and keeps the flag")
    void untilInterrupted() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Await.until("rest", Duration.ofSeconds(20), () -> Optional.of("work")))
                .hasMessageContaining("rest: interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @DisplayName("get throws Kafka's own exception, and wraps any other with what was asked")
    void getFails() {
        var exists = new TopicExistsException("there is one");
        assertThatThrownBy(() -> Await.get("creating", CompletableFuture.failedFuture(exists)))
                .isSameAs(exists);
        assertThatThrownBy(() -> Await.get("creating", CompletableFuture.failedFuture(new IOException("disk"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("creating failed")
                .hasRootCauseMessage("disk");
    }
}
