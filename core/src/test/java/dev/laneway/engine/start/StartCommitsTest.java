package dev.laneway.engine.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Health;
import dev.laneway.engine.commit.CommitterFixture;
import dev.laneway.engine.runtime.HealthConditions;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The group's start is committed before a record of it is read. */
class StartCommitsTest {
    private final CommitterFixture fixture = new CommitterFixture();
    private final HealthConditions conditions = new HealthConditions(fixture.host);
    private final List<PartitionStart> begun = new ArrayList<>();
    private final List<PartitionStart> doubtful = new ArrayList<>();
    private final StartCommits commits =
            new StartCommits(fixture.host, fixture.consumer, fixture.commits, conditions, begun::add, doubtful::addAll);
    private final PartitionStart start = new PartitionStart(CommitterFixture.ID, true, 0);

    private void send() {
        start.offset = 7;
        commits.add(start);
        commits.turn(all -> List.copyOf(all));
        assertThat(fixture.consumer.unanswered).hasSize(1);
    }

    private List<String> reasons() {
        fixture.host.pass(60_000);
        return conditions.reasons(Health.Status.DEGRADED);
    }

    @Test
    @DisplayName("B114 health tells of starts that cannot be committed, as long as they wait")
    void waits() {
        send();
        fixture.consumer.unanswered.remove().answer(new CoordinatorLoadInProgressException("loading"));
        assertThat(reasons()).singleElement().asString().contains("could not be committed", "orders-0");
        commits.turn(all -> List.copyOf(all));
        fixture.consumer.unanswered.remove().answer(null);
        assertThat(reasons()).isEmpty();
        commits.turn(all -> List.copyOf(all));
        assertThat(begun).containsExactly(start);
        assertThat(doubtful).containsExactly(start);
    }

    @Test
    @DisplayName("B114 a start that was given up while its commit was under way is no reason for bad health")
    void givenUp() {
        send();
        commits.forget(start);
        fixture.consumer.unanswered.remove().answer(new CoordinatorLoadInProgressException("loading"));
        assertThat(reasons()).isEmpty();
    }
}
