package dev.laneway.engine.commit;

import static dev.laneway.engine.commit.CommitterFixture.ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.HandConsumer;
import dev.laneway.engine.offsets.OffsetMap;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;

class AsyncCommitterPropertyTest {
    @Property(tries = 100)
    @Label("B14 whatever is answered when, committed offsets never move back, and in the end all is committed")
    void neverMovesBack(@ForAll long seed) {
        var random = new Random(seed);
        var any = new CommitterFixture();
        AsyncCommitter committing = any.async();
        for (int i = 0; i < 200; i++) {
            switch (random.nextInt(4)) {
                case 0 -> any.done(1 + random.nextInt(3));
                case 1 -> any.turn(committing, random.nextInt(40_000));
                default -> {
                    if (!any.consumer.unanswered.isEmpty()) {
                        HandConsumer.Sent some = random.nextBoolean()
                                ? any.consumer.unanswered.pollFirst()
                                : any.consumer.unanswered.pollLast();
                        some.answer(random.nextInt(3) == 0 ? new RetriableCommitFailedException("again") : null);
                    }
                }
            }
        }
        any.consumer.unanswered.clear();
        any.done(1);
        for (int i = 0; i < 3; i++) {
            any.turn(committing, CommitterFixture.TIMEOUT_MILLIS);
        }
        any.consumer.unanswered.getLast().answer(null);
        assertThat(any.partition.committed).isEqualTo(any.track().progress(OffsetMap.DEFAULT_LIMIT));
        assertThat(any.consumer.commits.stream().map(offsets -> offsets.get(ID).offset()))
                .isSorted();
    }
}
