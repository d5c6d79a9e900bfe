package dev.laneway.ops;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListGroupsResult;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

/** Finds out which groups there are, and of which kind. Stateless. */
final class GroupLookup {
    private GroupLookup() {}

    /**
     * The kind of a group.
     *
     * @throws LagFailure if it does not exist, may not be seen or consumes no partitions, or if no broker answers
     */
    static GroupKind kindOf(Admin admin, String group, Answers answers) {
        for (GroupListing listing : list(admin, answers)) {
            if (listing.groupId().equals(group)) {
                return kind(listing)
                        .orElseThrow(() -> new LagFailure(
                                "group '" + group + "' has the protocol '" + listing.protocol()
                                        + "' and consumes no partitions: name a group of consumers",
                                null));
            }
        }
        // The list has only what this user may see.
        Throwable failure = answers.of(Objects.requireNonNull(admin.describeConsumerGroups(
                                List.of(group), new DescribeConsumerGroupsOptions().timeoutMs(answers.leftForRequest()))
                        .describedGroups()
                        .get(group)))
                .failure();
        if (failure == null || failure instanceof GroupIdNotFoundException) {
            throw unknown(group, failure);
        }
        if (failure instanceof AuthorizationException) {
            throw new LagFailure(
                    "group '" + group + "' may not be seen: the right DESCRIBE on the group is missing: grant it",
                    failure);
        }
        throw new LagFailure(answers.reason("group '" + group + "'", failure), failure);
    }

    static LagFailure unknown(String group, @Nullable Throwable cause) {
        return new LagFailure(
                "group '" + group + "' does not exist, or the right DESCRIBE on it is missing: check the name", cause);
    }

    static List<GroupListing> list(Admin admin, Answers answers) {
        ListGroupsResult result = admin.listGroups(new ListGroupsOptions().timeoutMs(answers.leftForRequest()));
        Answers.Answer<java.util.Collection<Throwable>> errors = answers.of(result.errors());
        if (errors.failure() != null) {
            throw new LagFailure(answers.reason("list of groups", errors.failure()), errors.failure());
        }
        Answers.Answer<java.util.Collection<GroupListing>> valid = answers.of(result.valid());
        if (valid.value() == null) {
            throw new LagFailure(answers.reason("list of groups", valid.failure()), valid.failure());
        }
        if (errors.value() != null && !errors.value().isEmpty()) {
            Throwable first = errors.value().iterator().next();
            throw new LagFailure(answers.reason("list of groups of one broker", first), first);
        }
        return List.copyOf(valid.value());
    }

    /** Empty if it consumes no partitions. */
    static Optional<GroupKind> kind(GroupListing listing) {
        GroupType type = listing.type().orElse(GroupType.CLASSIC);
        return switch (type) {
            case CONSUMER -> Optional.of(GroupKind.CONSUMER);
            case SHARE -> Optional.of(GroupKind.SHARE);
            case STREAMS -> Optional.of(GroupKind.STREAMS);
            // Others, such as the workers of Kafka Connect, have no partitions; groups without members no protocol.
            case CLASSIC, UNKNOWN ->
                listing.protocol().isEmpty() || listing.protocol().equals("consumer")
                        ? Optional.of(GroupKind.CLASSIC)
                        : Optional.empty();
        };
    }
}
