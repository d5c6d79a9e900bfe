package dev.laneway.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.BrokerException;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.WakeSignal;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Questions for a commit")
class CommitRequestsTest {
    private final CommitRequests asked = new CommitRequests(new WakeSignal(new HandHost(), () -> {}));

    @Test
    @DisplayName("B70 B72 whoever joined those being served learns that the last commit was not confirmed")
    void lastCommitFails() {
        CompletionStage<?> first = asked.ask();
        assertThat(asked.take()).isTrue();
        CompletionStage<?> second = asked.ask();
        asked.takeAll();
        asked.end(new BrokerException("not confirmed", null));
        assertThat(first.toCompletableFuture()).isCompletedExceptionally();
        assertThat(second.toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    @DisplayName("B70 one commit answers those being served and those who joined them")
    void answersAll() {
        CompletionStage<?> first = asked.ask();
        assertThat(asked.take()).isTrue();
        CompletionStage<?> second = asked.ask();
        asked.takeAll();
        asked.answered();
        assertThat(first.toCompletableFuture()).isCompleted();
        assertThat(second.toCompletableFuture()).isCompleted();
    }
}
