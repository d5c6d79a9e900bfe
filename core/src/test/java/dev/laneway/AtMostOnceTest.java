package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
@DisplayName("At-most-once on a real broker")
class AtMostOnceTest {
    private static final int RECORDS = 200;
    private static final int STUCK = 50;

    @ParameterizedTest
    @EnumSource(Ordering.class)
    @DisplayName("B126 a handler that outlasts the close limit loses its own record, and none behind it")
    void handler(Ordering ordering) {
        Stage stage = Stage.of(1);
        stage.loadInto(0, RECORDS, i -> "the same");
        Queue<Long> begun = new ConcurrentLinkedQueue<>();
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer()
                .commit(CommitMode.ahead())
                .ordering(ordering)
                .concurrency(ordering == Ordering.UNORDERED ? 1 : 4)
                .process(record -> {
                    begun.add(record.offset());
                    if (record.offset() == STUCK) {
                        never.await();
                    }
                })) {
            await().atMost(LIMIT).until(() -> begun.size() == STUCK + 1);
            laneway.close(Duration.ofMillis(300));
        }
        assertThat(stage.committed(0)).isEqualTo(STUCK + 1);

        try (Laneway _ = stage.consumer().commit(CommitMode.ahead()).process(record -> begun.add(record.offset()))) {
            await().atMost(LIMIT).until(() -> begun.size() >= RECORDS && stage.isCommittedToEnd());
        }
        assertThat(begun)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, RECORDS).boxed().toList());
    }
}
