package dev.laneway.ops.check;

import dev.laneway.ops.check.ClientPicture.Client;
import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Observations;
import java.util.List;
import java.util.Optional;

/**
 * Whether a partition that stands may only wait for its turn: a consumer gives all that it has fetched of one partition
 * before it gives anything of the next, which is a mebibyte by default, so a member that has no time left is busy with
 * each of them for long. A record that fails and is sought again is given again and again, so that more is given than
 * is done.
 */
record TurnTaking(Observations seen, GroupPicture group) {
    /** A member that waits for records longer than this share of its time would have taken the others' by then. */
    private static final double MOST_IDLE = 0.15;

    private static final double LONG_SECONDS = 60;
    private static final double MARGIN = 2;

    boolean mayWait(Part part) {
        List<Part> others = group.parts.stream()
                .filter(other -> other.member().equals(part.member()) && other.done() > 0)
                .toList();
        double done = others.stream().mapToDouble(Part::done).sum();
        if (part.member().isEmpty() || done == 0) {
            return false;
        }
        Optional<Client> client = ClientPicture.of(seen).ofMember(part.member());
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
