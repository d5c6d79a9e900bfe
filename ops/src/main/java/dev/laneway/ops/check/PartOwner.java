package dev.laneway.ops.check;

import dev.laneway.ops.LagStatus;
import dev.laneway.ops.check.ClientPicture.Client;
import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** What the member that has a partition tells of it, where its process is seen. Immutable. */
record PartOwner(Observations seen, GroupPicture group, Part part) {
    /** Who fails to read a record, and tries again, waits elsewhere. */
    private static final double WAITING_IDLE = 0.5;

    /** What it says that it has yet to read; empty if it is not seen. */
    private OptionalDouble unread() {
        return client().flatMap(client -> seen.one(
                        client.source(),
                        Metric.of(
                                ClientPicture.FETCHER,
                                "records-lag",
                                Map.of(
                                        "client-id",
                                        client.id(),
                                        "topic",
                                        part.topic(),
                                        "partition",
                                        part.tags().tag("partition")))))
                .map(Series::last)
                .map(OptionalDouble::of)
                .orElse(OptionalDouble.empty());
    }

    private Optional<Client> client() {
        return ClientPicture.of(seen).ofMember(part.member());
    }

    /**
     * Whether what is left at the end of the partition is no record: markers of transactions, and records of those that
     * were aborted. Its owner, if it is seen, has read all and is given no record again; else only one offset is left.
     */
    boolean isLeftWithoutRecords() {
        if (part.appended() > 0 || part.status() == LagStatus.STOP || part.held()) {
            return false;
        }
        OptionalDouble unread = unread();
        return unread.isEmpty()
                ? part.lag() == 1
                : unread.getAsDouble() == 0
                        && client().filter(client -> client.isPolling() && client.givesOnce(group.done(part.member())))
                                .isPresent();
    }

    /** Whether it polls, has time, has read all that it is given of the partition, and takes no record again. */
    boolean isGivenNothing() {
        return unread().stream().anyMatch(unread -> unread == 0)
                && client().filter(client -> client.isPolling()
                                && client.idle().orElse(0) > WAITING_IDLE
                                && client.givesOnce(group.done(part.member())))
                        .isPresent();
    }
}
