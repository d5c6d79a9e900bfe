package dev.laneway.engine.commit;

import static dev.laneway.engine.commit.CommitterFixture.ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.offsets.Progress;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Commits what was polled before it is handled. */
class AtMostOnceCommitterTest {
    private final CommitterFixture fixture = new CommitterFixture();
    private final AtMostOnceCommitter committer = new AtMostOnceCommitter(fixture.commits);

    @Test
    @DisplayName("B17 what was polled and never begun is committed back when its partition is given up in peace")
    void givesBack() {
        fixture.partition.confirmed(new Progress(0, ""));
        assertThat(committer.beforeDispatch(Map.of(ID, new OffsetAndMetadata(5))))
                .isTrue();
        assertThat(fixture.consumer.commits.getLast().get(ID).offset()).isEqualTo(5);
        fixture.append(5);
        committer.flush(List.of(fixture.partition));
        assertThat(fixture.consumer.commits.getLast().get(ID).offset()).isZero();
    }
}
