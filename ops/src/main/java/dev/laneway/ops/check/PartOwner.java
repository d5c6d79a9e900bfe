package dev.laneway.ops.check;

import dev.laneway.ops.LagStatus;
import dev.laneway.ops.check.ClientPicture.Client;
import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** What the member that has a partition tells of it, where its process is seen. Immutable. */
record PartOwner(Observations seen, GroupPicture group, Part part) {
    /** Who fails to read a record, and tries again, waits elsewhere. */
    private static final double WAITING_IDLE = 0.5;

    /** A member that waits for records longer than this share of its time would have taken the others' by then. */
    private static final double MOST_IDLE = 0.15;

    private static final double LONG_SECONDS = 60;
    private static final double MARGIN = 2;

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

    /**
     * Whether the partition may only wait for its turn: a consumer gives all that it has fetched of one partition
     * before it gives anything of the next, which is a mebibyte by default, so a member that has no time left is busy
     * with each of them for long. A record that fails and is sought again is given again and again, so that more is
     * given than is done.
     */
    boolean mayWaitForTurn() {
        List<Part> others = group.parts.stream()
                .filter(other -> other.member().equals(part.member()) && other.done() > 0)
                .toList();
        double done = others.stream().mapToDouble(Part::done).sum();
        if (part.member().isEmpty() || done == 0) {
            return false;
        }
        Optional<Client> client = client();
        // A fetch that brings much of one partition lets that one catch up, while all of them stay far behind.
        boolean isBusy = others.stream().allMatch(other -> other.appended() > other.done())
                || (others.stream().anyMatch(other -> other.lag() > ClientPicture.GIVEN)
                        && client.filter(of -> of.idle().orElse(1) < MOST_IDLE).isPresent());
        double batch = client.map(of -> of.last(ClientPicture.FETCHER, "records-per-request-avg")
                        .orElse(0))
                .orElse(0.0);
        double turns = others.size() * batch / done * group.seconds();
        return isBusy
                && client.map(of -> of.givesOnce(done)).orElse(true)
                && group.seconds() < Math.max(LONG_SECONDS, MARGIN * turns);
    }
}
