package dev.laneway.engine.commit;

import java.util.function.Consumer;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/** A commit of several requests, until all of them are answered. The owner only. */
final class CommitOutcome {
    private final Consumer<@Nullable Exception> ended;
    private int unanswered;
    private @Nullable Exception failure;

    /** @param ended called once, with the gravest failure if there was any */
    CommitOutcome(int requests, Consumer<@Nullable Exception> ended) {
        this.unanswered = requests;
        this.ended = ended;
    }

    /** One of them is answered. */
    void answered(@Nullable Exception failed) {
        unanswered--;
        if (failed != null && (failure == null || !(failed instanceof RetriableException))) {
            failure = failed;
        }
    }

    void endIfOver() {
        if (unanswered == 0) {
            ended.accept(failure);
        }
    }
}
