package dev.laneway.testkit.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedMemberEpochException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator's side of a group under {@code group.protocol=consumer} (KIP-848): it computes a target assignment
 * and moves each member there with heartbeats, one step at a time. A member first gives up partitions; another one gets
 * them only after its heartbeat has confirmed that.
 */
final class SimConsumerGroup implements SimMembers {
    static final int JOIN = 0;
    static final int LEAVE = -1;
    static final int LEAVE_FOR_NOW = -2;

    private final SimBroker broker;
    private final String group;
    private final Map<String, Member> members = new LinkedHashMap<>();
    private int groupEpoch;
    private int targetEpoch;
    private long targetFromNanos = Long.MIN_VALUE;
    private Map<String, Set<TopicPartition>> target = new LinkedHashMap<>();
    private List<TopicPartition> seen = List.of();

    /** {@code owned} is null when it has not changed since the last heartbeat. */
    record Heartbeat(
            String memberId,
            @Nullable String instanceId,
            int epoch,
            List<String> topics,
            @Nullable Set<TopicPartition> owned,
            long rebalanceTimeoutNanos) {}

    /** {@code assignment} is null when nothing has changed. */
    record Reply(int epoch, @Nullable Set<TopicPartition> assignment) {}

    private static final class Member {
        final String id;
        final @Nullable String instanceId;
        List<String> topics = List.of();
        int epoch;
        int previousEpoch;
        /** The epoch in which each partition was given to the member: older commits of it are stale (KIP-1251). */
        Map<TopicPartition, Integer> assigned = new LinkedHashMap<>();

        Map<TopicPartition, Integer> toRevoke = new LinkedHashMap<>();

        @Nullable
        Set<TopicPartition> told;

        boolean away;

        @Nullable
        SimTimer session;

        @Nullable
        SimTimer revocation;

        Member(String id, @Nullable String instanceId) {
            this.id = id;
            this.instanceId = instanceId;
        }
    }

    SimConsumerGroup(SimBroker broker, String group) {
        this.broker = broker;
        this.group = group;
    }

    Reply heartbeat(Heartbeat beat) {
        if (beat.epoch() == LEAVE || beat.epoch() == LEAVE_FOR_NOW) {
            return leave(beat);
        }
        Member member = beat.epoch() == JOIN ? joined(beat) : validated(beat);
        touch(member);
        boolean changed = !member.topics.equals(beat.topics());
        member.topics = beat.topics();
        List<TopicPartition> partitions = allPartitions();
        if (changed || !partitions.equals(seen)) {
            groupEpoch++;
            seen = partitions;
        }
        if (targetEpoch < groupEpoch && mayComputeTarget()) {
            computeTarget(partitions);
        }
        reconcile(member, beat);
        Set<TopicPartition> now = new TreeSet<>(SimBroker.PARTITIONS);
        now.addAll(member.assigned.keySet());
        boolean news = beat.epoch() == JOIN || !now.equals(member.told);
        member.told = now;
        return new Reply(member.epoch, news ? now : null);
    }

    private Member joined(Heartbeat beat) {
        Member member = members.get(beat.memberId());
        if (member == null) {
            member = new Member(beat.memberId(), beat.instanceId());
            Member previous = beat.instanceId() == null ? null : ofInstance(beat.instanceId());
            if (previous == null) {
                members.put(member.id, member);
                broker.trace().event("member-joins", group, member.id);
            } else {
                takeOver(previous, member);
            }
        } else {
            // A member that joins again has given up everything.
            member.assigned.clear();
            member.toRevoke.clear();
        }
        member.epoch = 0;
        member.told = null;
        return member;
    }

    /** A static member is back under a new id. The previous one must have left, or its session must have ended. */
    private void takeOver(Member previous, Member member) {
        if (!previous.away) {
            throw new UnreleasedInstanceIdException(
                    "group.instance.id " + member.instanceId + " is still in use by " + previous.id);
        }
        Map<String, Member> order = new LinkedHashMap<>(members);
        members.clear();
        order.forEach(
                (id, other) -> members.put(other == previous ? member.id : id, other == previous ? member : other));
        cancel(previous.session);
        cancel(previous.revocation);
        member.assigned = previous.assigned;
        member.topics = previous.topics;
        Set<TopicPartition> share = target.remove(previous.id);
        if (share != null) {
            target.put(member.id, share);
        }
        broker.trace().event("static-member-back", group, member.id);
    }

    private @Nullable Member ofInstance(String instanceId) {
        return members.values().stream()
                .filter(member -> instanceId.equals(member.instanceId))
                .findFirst()
                .orElse(null);
    }

    private Member validated(Heartbeat beat) {
        Member member = members.get(beat.memberId());
        if (member == null) {
            throw new UnknownMemberIdException(beat.memberId() + " is no member of group " + group);
        }
        boolean answerLost = beat.epoch() == member.previousEpoch
                && beat.owned() != null
                && member.assigned.keySet().containsAll(beat.owned());
        if (beat.epoch() != member.epoch && !answerLost) {
            throw new FencedMemberEpochException("epoch " + beat.epoch() + " of " + member.id + " is not "
                    + member.epoch + ": the member must give up all its partitions and join again");
        }
        return member;
    }

    private Reply leave(Heartbeat beat) {
        Member member = members.get(beat.memberId());
        if (member != null && beat.epoch() == LEAVE_FOR_NOW) {
            member.away = true;
            member.epoch = LEAVE_FOR_NOW;
            broker.trace().event("static-member-away", group, member.id);
        } else if (member != null) {
            remove(member, "leave");
        }
        return new Reply(beat.epoch(), null);
    }

    /** One step of a member towards the target, as described for the class. */
    private void reconcile(Member member, Heartbeat beat) {
        if (!member.toRevoke.isEmpty() && owns(beat.owned(), member.toRevoke.keySet())) {
            return;
        }
        member.toRevoke.clear();
        Set<TopicPartition> goal = target.getOrDefault(member.id, Set.of());
        Map<TopicPartition, Integer> kept = new LinkedHashMap<>(member.assigned);
        kept.keySet().retainAll(goal);
        Map<TopicPartition, Integer> given = new LinkedHashMap<>(member.assigned);
        given.keySet().removeAll(kept.keySet());
        member.assigned = kept;
        if (!given.isEmpty() && (beat.owned() == null || owns(beat.owned(), given.keySet()))) {
            member.toRevoke = given;
            limitRevocation(member, beat.rebalanceTimeoutNanos());
            return;
        }
        cancel(member.revocation);
        if (member.epoch != targetEpoch) {
            member.previousEpoch = member.epoch;
            member.epoch = targetEpoch;
        }
        Set<TopicPartition> taken = takenByOthers(member);
        for (TopicPartition partition : goal) {
            if (!kept.containsKey(partition) && !taken.contains(partition)) {
                kept.put(partition, targetEpoch);
                broker.trace().event("assigned", group, member.id, partition);
            }
        }
    }

    private static boolean owns(@Nullable Set<TopicPartition> owned, Set<TopicPartition> some) {
        return owned == null || some.stream().anyMatch(owned::contains);
    }

    private Set<TopicPartition> takenByOthers(Member member) {
        Set<TopicPartition> taken = new LinkedHashSet<>();
        for (Member other : members.values()) {
            if (other != member) {
                taken.addAll(other.assigned.keySet());
                taken.addAll(other.toRevoke.keySet());
            }
        }
        return taken;
    }

    private void limitRevocation(Member member, long rebalanceTimeoutNanos) {
        cancel(member.revocation);
        member.revocation = broker.clock().schedule(rebalanceTimeoutNanos, () -> remove(member, "rebalance time-out"));
    }

    /** The broker assigns anew once in {@code group.consumer.assignment.interval.ms} at most, 1 s by default. */
    private boolean mayComputeTarget() {
        return targetFromNanos == Long.MIN_VALUE
                || broker.clock().nanoTime() - targetFromNanos >= broker.consumerAssignmentIntervalNanos();
    }

    private List<TopicPartition> allPartitions() {
        Set<String> topics = new TreeSet<>();
        members.values().forEach(member -> topics.addAll(member.topics));
        return broker.partitionsOf(topics);
    }

    /** Distributes the partitions evenly over subscribed members, and moves as few as possible. */
    private void computeTarget(List<TopicPartition> partitions) {
        targetEpoch = groupEpoch;
        targetFromNanos = broker.clock().nanoTime();
        Map<String, Set<TopicPartition>> next = new LinkedHashMap<>();
        members.keySet().forEach(id -> next.put(id, new TreeSet<>(SimBroker.PARTITIONS)));
        List<TopicPartition> open = new ArrayList<>();
        int share = members.isEmpty() ? 0 : (partitions.size() + members.size() - 1) / members.size();
        int bigShares = members.isEmpty() ? 0 : partitions.size() - (share - 1) * members.size();
        for (TopicPartition partition : partitions) {
            String owner = previousOwner(partition);
            Set<TopicPartition> held = owner == null || !wants(owner, partition) ? null : next.get(owner);
            if (held != null && held.size() < share && (held.size() < share - 1 || bigShares-- > 0)) {
                held.add(partition);
            } else {
                open.add(partition);
            }
        }
        for (TopicPartition partition : open) {
            members.keySet().stream()
                    .filter(id -> wants(id, partition))
                    .min((a, b) -> Integer.compare(size(next, a), size(next, b)))
                    .ifPresent(id -> Objects.requireNonNull(next.get(id)).add(partition));
        }
        target = next;
        broker.trace().event("target", group, groupEpoch, members.size(), partitions.size());
    }

    private static int size(Map<String, Set<TopicPartition>> shares, String id) {
        return Objects.requireNonNull(shares.get(id)).size();
    }

    private boolean wants(String memberId, TopicPartition partition) {
        Member member = members.get(memberId);
        return member != null && member.topics.contains(partition.topic());
    }

    private @Nullable String previousOwner(TopicPartition partition) {
        for (Map.Entry<String, Set<TopicPartition>> share : target.entrySet()) {
            if (share.getValue().contains(partition)) {
                return share.getKey();
            }
        }
        return null;
    }

    @Override
    public void validateCommit(Identity who, Set<TopicPartition> partitions, boolean transactional) {
        if (who.generation() < 0 && members.isEmpty()) {
            return;
        }
        if (transactional && who.generation() < 0 && who.memberId().isEmpty() && who.instanceId() == null) {
            return;
        }
        Member member = members.get(who.memberId());
        if (member == null) {
            throw new UnknownMemberIdException(who.memberId() + " is no member of group " + group);
        }
        if (who.generation() > member.epoch) {
            throw new StaleMemberEpochException("epoch " + who.generation() + " is newer than " + member.epoch);
        }
        for (TopicPartition partition : partitions) {
            Integer since = member.assigned.getOrDefault(partition, member.toRevoke.get(partition));
            if (who.generation() < member.epoch && (since == null || who.generation() < since)) {
                throw new StaleMemberEpochException(
                        "epoch " + who.generation() + " is older than the assignment of " + partition);
            }
        }
    }

    @Override
    public boolean isEmpty() {
        return members.isEmpty();
    }

    @Override
    public List<String> memberIds() {
        return List.copyOf(members.keySet());
    }

    @Override
    public Map<TopicPartition, String> owners() {
        Map<TopicPartition, String> owners = new LinkedHashMap<>();
        for (Member member : members.values()) {
            member.assigned.keySet().forEach(partition -> owners.put(partition, member.id));
            member.toRevoke.keySet().forEach(partition -> owners.put(partition, member.id));
        }
        return owners;
    }

    @Override
    public void evict(String memberId) {
        Member member = members.get(memberId);
        if (member != null) {
            remove(member, "eviction");
        }
    }

    /** This protocol has no rebalance to start; instead a new target moves one partition, if possible. */
    @Override
    public void rebalance() {
        if (targetEpoch < groupEpoch) {
            computeTarget(allPartitions()); // Members have come or gone since the old target was computed.
        }
        if (members.size() > 1) {
            List<String> ids = memberIds();
            Set<TopicPartition> first = Objects.requireNonNull(target.get(ids.getFirst()));
            Set<TopicPartition> last = Objects.requireNonNull(target.get(ids.getLast()));
            boolean forward = first.size() >= last.size();
            Set<TopicPartition> from = forward ? first : last;
            Set<TopicPartition> to = forward ? last : first;
            if (!from.isEmpty()) {
                TopicPartition moved = from.iterator().next();
                from.remove(moved);
                to.add(moved);
            }
        }
        groupEpoch++;
        targetEpoch = groupEpoch;
        broker.trace().event("target", group, groupEpoch, members.size(), seen.size());
    }

    private void remove(Member member, String why) {
        cancel(member.session);
        cancel(member.revocation);
        members.remove(member.id);
        broker.trace().event("member-gone", group, why + " of " + member.id);
        groupEpoch++;
    }

    private void touch(Member member) {
        cancel(member.session);
        member.session =
                broker.clock().schedule(broker.consumerSessionTimeoutNanos(), () -> remove(member, "session time-out"));
    }

    private static void cancel(@Nullable SimTimer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }
}
