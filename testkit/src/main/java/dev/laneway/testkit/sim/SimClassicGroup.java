package dev.laneway.testkit.sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator's side of a group under the classic protocol: members join until all are there or the rebalance times
 * out, the leader sends an assignment, and each member gets its part.
 *
 * <pre>
 *   EMPTY -- join --> PREPARING -- all joined, or time out --> COMPLETING -- leader's sync --> STABLE
 *                     PREPARING <-- join, leave, expiry ------ COMPLETING, STABLE
 * </pre>
 */
final class SimClassicGroup implements SimMembers {
    private final SimBroker broker;
    private final String group;
    private final Map<String, Member> members = new LinkedHashMap<>();
    private final Map<String, String> memberOfInstance = new LinkedHashMap<>();
    private State state = State.EMPTY;
    private int generation;
    private int memberIds;
    private String leader = "";
    private String protocol = "";
    private @Nullable SimTimer joinLimit;

    private enum State {
        EMPTY,
        PREPARING,
        COMPLETING,
        STABLE
    }

    private static final class Member {
        final String id;
        SimJoin.Request request;
        Assignment assignment = new Assignment(List.of());

        @Nullable
        CompletableFuture<SimJoin.Reply> joining;

        @Nullable
        CompletableFuture<Assignment> syncing;

        @Nullable
        SimTimer session;

        Member(String id, SimJoin.Request request) {
            this.id = id;
            this.request = request;
        }
    }

    SimClassicGroup(SimBroker broker, String group) {
        this.broker = broker;
        this.group = group;
    }

    CompletableFuture<SimJoin.Reply> join(SimJoin.Request request) {
        members.values()
                .forEach(member -> SimProtocols.requireCommon(group, request.protocols(), member.request.protocols()));
        String instance = request.instanceId();
        if (request.memberId().isEmpty()) {
            String previous = instance == null ? null : memberOfInstance.get(instance);
            return previous == null ? joinNew(request) : replaceStatic(previous, request);
        }
        Member member = validated(request.memberId(), instance);
        boolean changed = !SimProtocols.same(member.request.protocols(), request.protocols());
        member.request = request;
        touch(member);
        if (state == State.PREPARING || state == State.EMPTY) {
            return await(member);
        }
        boolean repeated =
                !changed && (state == State.COMPLETING || (state == State.STABLE && !member.id.equals(leader)));
        if (repeated) {
            return CompletableFuture.completedFuture(reply(member, false));
        }
        prepare("rejoin of " + member.id);
        return await(member);
    }

    private CompletableFuture<SimJoin.Reply> joinNew(SimJoin.Request request) {
        Member member = new Member(request.clientId() + "-" + ++memberIds, request);
        members.put(member.id, member);
        if (request.instanceId() != null) {
            memberOfInstance.put(request.instanceId(), member.id);
        }
        touch(member);
        if (state != State.PREPARING) {
            prepare("join of " + member.id);
        }
        return await(member);
    }

    /**
     * A static member came back under its instance id: it takes over its old membership, without a rebalance if its
     * subscription is the same.
     */
    private CompletableFuture<SimJoin.Reply> replaceStatic(String previousId, SimJoin.Request request) {
        Member previous = Objects.requireNonNull(members.get(previousId));
        fence(previous);
        Map<String, Member> order = new LinkedHashMap<>(members);
        members.clear();
        Member member = new Member(request.clientId() + "-" + ++memberIds, request);
        member.assignment = previous.assignment;
        order.forEach(
                (id, other) -> members.put(other == previous ? member.id : id, other == previous ? member : other));
        memberOfInstance.put(Objects.requireNonNull(request.instanceId()), member.id);
        boolean wasLeader = leader.equals(previousId);
        if (wasLeader) {
            leader = member.id;
        }
        touch(member);
        broker.trace().event("static-member-back", group, member.id);
        if (state == State.STABLE && SimProtocols.sameTopics(previous.request.protocols(), request.protocols())) {
            return CompletableFuture.completedFuture(reply(member, true));
        }
        if (state != State.PREPARING) {
            prepare("return of " + member.id);
        }
        return await(member);
    }

    private void fence(Member previous) {
        cancel(previous.session);
        FencedInstanceIdException fenced =
                new FencedInstanceIdException("another member has joined with this group.instance.id");
        if (previous.joining != null) {
            previous.joining.completeExceptionally(fenced);
        }
        if (previous.syncing != null) {
            previous.syncing.completeExceptionally(fenced);
        }
    }

    private CompletableFuture<SimJoin.Reply> await(Member member) {
        CompletableFuture<SimJoin.Reply> joining = new CompletableFuture<>();
        member.joining = joining;
        completeJoinIfAllThere();
        return joining;
    }

    CompletableFuture<Assignment> sync(Identity who, @Nullable Map<String, Assignment> byLeader) {
        Member member = validated(who);
        touch(member);
        return switch (state) {
            case EMPTY -> throw new UnknownMemberIdException("group " + group + " is empty");
            case PREPARING -> throw new RebalanceInProgressException("group " + group + " is rebalancing");
            case STABLE -> CompletableFuture.completedFuture(member.assignment);
            case COMPLETING -> {
                CompletableFuture<Assignment> syncing = new CompletableFuture<>();
                member.syncing = syncing;
                if (member.id.equals(leader) && byLeader != null) {
                    assign(byLeader);
                }
                yield syncing;
            }
        };
    }

    private void assign(Map<String, Assignment> byLeader) {
        state = State.STABLE;
        broker.trace().event("stable", group, generation, members.size());
        for (Member member : List.copyOf(members.values())) {
            member.assignment = byLeader.getOrDefault(member.id, new Assignment(List.of()));
            CompletableFuture<Assignment> syncing = member.syncing;
            member.syncing = null;
            touch(member);
            if (syncing != null) {
                syncing.complete(member.assignment);
            }
        }
    }

    void heartbeat(Identity who) {
        Member member = validated(who);
        touch(member);
        if (state == State.PREPARING) {
            throw new RebalanceInProgressException("group " + group + " is rebalancing");
        }
    }

    void leave(String memberId, @Nullable String instanceId) {
        Member member = validated(memberId, instanceId);
        remove(member, "leave of ");
    }

    @Override
    public void validateCommit(Identity who, Set<TopicPartition> partitions, boolean transactional) {
        if (who.generation() < 0 && members.isEmpty()) {
            return;
        }
        if (who.generation() >= 0 || !who.memberId().isEmpty() || who.instanceId() != null) {
            touch(validated(who));
        } else if (!transactional) {
            throw new UnknownMemberIdException("group " + group + " has members: only they may commit");
        }
        if (!transactional && state == State.COMPLETING) {
            throw new RebalanceInProgressException("group " + group + " is completing a rebalance");
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
        members.forEach((id, member) -> member.assignment.partitions().forEach(partition -> owners.put(partition, id)));
        return owners;
    }

    @Override
    public void evict(String memberId) {
        Member member = members.get(memberId);
        if (member != null) {
            remove(member, "eviction of ");
        }
    }

    @Override
    public void rebalance() {
        if (state == State.STABLE || state == State.COMPLETING) {
            prepare("request");
        }
    }

    private void remove(Member member, String why) {
        cancel(member.session);
        members.remove(member.id);
        memberOfInstance.values().remove(member.id);
        UnknownMemberIdException gone = new UnknownMemberIdException(member.id + " is no member of group " + group);
        if (member.joining != null) {
            member.joining.completeExceptionally(gone);
        }
        if (member.syncing != null) {
            member.syncing.completeExceptionally(gone);
        }
        broker.trace().event("member-gone", group, why + member.id);
        if (state == State.PREPARING) {
            completeJoinIfAllThere();
        } else if (state != State.EMPTY) {
            prepare(why + member.id);
        }
    }

    private void prepare(String why) {
        boolean initial = state == State.EMPTY;
        state = State.PREPARING;
        broker.trace().event("rebalance", group, why);
        RebalanceInProgressException again = new RebalanceInProgressException("group " + group + " is rebalancing");
        for (Member member : List.copyOf(members.values())) {
            CompletableFuture<Assignment> syncing = member.syncing;
            member.syncing = null;
            if (syncing != null) {
                syncing.completeExceptionally(again);
            }
        }
        long limit = 0;
        for (Member member : members.values()) {
            limit = Math.max(limit, member.request.rebalanceTimeoutNanos());
        }
        cancel(joinLimit);
        joinLimit = broker.clock().schedule(initial ? broker.initialRebalanceDelayNanos() : limit, this::joinTimedOut);
        completeJoinIfAllThere();
    }

    private void joinTimedOut() {
        joinLimit = null;
        for (Member member : List.copyOf(members.values())) {
            // A static member stays in the group until its session ends.
            if (member.joining == null && member.request.instanceId() == null) {
                cancel(member.session);
                members.remove(member.id);
                broker.trace().event("member-gone", group, "rebalance time-out of " + member.id);
            }
        }
        completeJoin();
    }

    private void completeJoinIfAllThere() {
        boolean waitsForMore = joinLimit != null && generation == 0 && broker.initialRebalanceDelayNanos() > 0;
        if (state == State.PREPARING
                && !waitsForMore
                && members.values().stream().allMatch(member -> member.joining != null)) {
            completeJoin();
        }
    }

    private void completeJoin() {
        cancel(joinLimit);
        joinLimit = null;
        generation++;
        if (members.isEmpty()) {
            state = State.EMPTY;
            leader = "";
            return;
        }
        state = State.COMPLETING;
        protocol = SimProtocols.common(members.values().stream()
                .map(member -> member.request.protocols())
                .toList());
        if (!members.containsKey(leader) || Objects.requireNonNull(members.get(leader)).joining == null) {
            leader = members.values().stream()
                    .filter(member -> member.joining != null)
                    .findFirst()
                    .map(member -> member.id)
                    .orElse("");
        }
        for (Member member : List.copyOf(members.values())) {
            CompletableFuture<SimJoin.Reply> joining = member.joining;
            member.joining = null;
            touch(member);
            if (joining != null) {
                joining.complete(reply(member, false));
            }
        }
    }

    private SimJoin.Reply reply(Member member, boolean keepAssignment) {
        boolean isLeader = member.id.equals(leader);
        Map<String, Subscription> subscriptions = new LinkedHashMap<>();
        if (isLeader) {
            members.forEach((id, other) -> {
                Subscription subscription =
                        Objects.requireNonNull(other.request.protocols().get(protocol));
                subscription.setGroupInstanceId(Optional.ofNullable(other.request.instanceId()));
                subscriptions.put(id, subscription);
            });
        }
        return new SimJoin.Reply(generation, member.id, protocol, isLeader, keepAssignment, subscriptions);
    }

    private Member validated(Identity who) {
        Member member = validated(who.memberId(), who.instanceId());
        if (who.generation() != generation) {
            throw new IllegalGenerationException(
                    "generation " + who.generation() + " of " + who.memberId() + " is not " + generation);
        }
        return member;
    }

    private Member validated(String memberId, @Nullable String instanceId) {
        if (instanceId != null) {
            String current = memberOfInstance.get(instanceId);
            if (current != null && !current.equals(memberId)) {
                throw new FencedInstanceIdException(
                        "group.instance.id " + instanceId + " belongs to " + current + " now");
            }
        }
        Member member = members.get(memberId);
        if (member == null) {
            throw new UnknownMemberIdException(memberId + " is no member of group " + group);
        }
        return member;
    }

    /** Restarts the session. A member whose join or sync is being answered counts as alive. */
    private void touch(Member member) {
        cancel(member.session);
        member.session = broker.clock().schedule(member.request.sessionTimeoutNanos(), () -> {
            if (member.joining != null || member.syncing != null) {
                touch(member);
            } else {
                remove(member, "session time-out of ");
            }
        });
    }

    private static void cancel(@Nullable SimTimer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }
}
