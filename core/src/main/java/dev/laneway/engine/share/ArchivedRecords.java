package dev.laneway.engine.share;

import dev.laneway.Health;
import dev.laneway.engine.config.DeliveryLimit;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HealthConditions;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that the broker does not deliver again and that this member has not done: nobody will do them. They are
 * counted, logged, and told by health. The owner only.
 */
final class ArchivedRecords {
    private static final Logger log = LoggerFactory.getLogger(ArchivedRecords.class);
    /** How long health tells of them, from the latest of a partition on. */
    private static final Duration SHOWN = Duration.ofMinutes(10);

    private static final int MOST_OFFSETS_LOGGED = 20;

    private final EventCounts counts;
    private final HealthConditions conditions;
    private final DeliveryLimit deliveryLimit;

    ArchivedRecords(EventCounts counts, HealthConditions conditions, DeliveryLimit deliveryLimit) {
        this.counts = counts;
        this.conditions = conditions;
        this.deliveryLimit = deliveryLimit;
    }

    /** Tells of what is undone when a handful is given up, if it is not delivered again. */
    void tell(AcquiredRecords last, List<Long> undone, String why) {
        if (!last.last || undone.isEmpty()) {
            return;
        }
        counts.archived.add(undone.size());
        TopicPartition id = last.partition.id;
        String what = "the broker gives up " + undone.size() + " records of " + id + ", from offset "
                + undone.getFirst() + ", after " + deliveryLimit.deliveries() + " deliveries";
        log.error(
                "{}: {}; at offsets {}. Write them again, or raise {} of the group",
                what,
                why,
                undone.subList(0, Math.min(MOST_OFFSETS_LOGGED, undone.size())),
                DeliveryLimit.NAME);
        conditions.begin(
                new HealthConditions.Subject(Health.Cause.GIVEN_UP, "archived", id),
                Health.Status.DEGRADED,
                what + ": write them again, or raise " + DeliveryLimit.NAME + " of the group",
                SHOWN);
    }
}
