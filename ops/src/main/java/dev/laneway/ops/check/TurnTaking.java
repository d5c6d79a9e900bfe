package dev.laneway.ops.check;

import dev.laneway.ops.check.ClientPicture.Client;
import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.Optional;

/**
 * Whether a partition that stands may only wait for its turn: a consumer gives all that it has fetched of one partition
 * before it gives anything of the next, so a member that is too slow for its other partitions, too, is busy with each
 * of them for long. A record that fails and is sought again is given again and again, so that more is given than is
 * done.
 */
record TurnTaking(Observations seen, GroupPicture group) {
    /** So much more than is committed may have been given. */
    private static final double GIVEN_SHARE = 1.5;

    private static final double GIVEN = 500;
    private static final double LONG_SECONDS = 60;
    private static final double MARGIN = 2;

    boolean mayWait(Part part) {
        List<Part> others = group.parts.stream()
                .filter(other -> other.member().equals(part.member()) && !other.stands() && other.lag() > 0)
                .toList();
        double done = others.stream().mapToDouble(Part::done).sum();
        boolean areBehind = others.stream().allMatch(other -> other.appended() > other.done());
        if (part.member().isEmpty() || done == 0 || !areBehind) {
            return false;
        }
        Optional<Client> client = ClientPicture.of(seen).ofMember(part.member());
        double given = client.flatMap(of -> of.one(ClientPicture.FETCHER, "records-consumed-total"))
                .map(Series::growth)
                .orElse(done);
        double batch = client.map(of -> of.last(ClientPicture.FETCHER, "records-per-request-avg")
                        .orElse(0))
                .orElse(0.0);
        double turns = others.size() * batch / done * group.seconds();
        return given <= GIVEN_SHARE * done + GIVEN && group.seconds() < Math.max(LONG_SECONDS, MARGIN * turns);
    }
}
