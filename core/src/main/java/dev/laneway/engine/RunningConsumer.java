package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.ConfigurationException;
import dev.laneway.Health;
import dev.laneway.Laneway;
import dev.laneway.LanewayException;
import dev.laneway.LanewayObserver;
import dev.laneway.Options;
import dev.laneway.Snapshot;
import dev.laneway.State;
import dev.laneway.engine.handle.AgentSpans;
import dev.laneway.engine.handle.Worker;
import dev.laneway.engine.runtime.DurationNanos;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.ListenerCall;
import dev.laneway.engine.runtime.ObserverCalls;
import dev.laneway.engine.runtime.ReadableDuration;
import dev.laneway.engine.runtime.TracedRecords;
import dev.laneway.engine.track.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handle: all members of one {@link Laneway} together. Thread-safe. */
public final class RunningConsumer implements Laneway {
    private static final Logger log = LoggerFactory.getLogger(RunningConsumer.class);
    private static final long HUNG_LOOK_NANOS = 100_000_000;
    /** So many looks a listener that was interrupted has to return. */
    private static final int HUNG_LOOKS = 20;

    private final List<Member> members;
    private final Options options;
    private final HealthConditions cluster;
    private final @Nullable ClusterProbe probe;
    private final CompletableFuture<@Nullable Void> ended;
    /** Whether somebody has asked for the end. */
    private volatile boolean ending;

    /**
     * @param cluster what the probe finds
     * @param probe asks the cluster; null where it cannot be asked
     */
    public RunningConsumer(
            List<Member> members, Options options, HealthConditions cluster, @Nullable ClusterProbe probe) {
        this.members = List.copyOf(members);
        this.ended = CompletableFuture.allOf(this.members.stream()
                        .map(member -> member.lifecycle().ended())
                        .toArray(CompletableFuture<?>[]::new))
                .thenRun(() -> {
                    if (probe != null) {
                        probe.close();
                    }
                    endObservers(failure().orElse(null));
                });
        this.options = options;
        this.cluster = cluster;
        this.probe = probe;
    }

    /** Lets the end of the process close all members. Before they start. */
    void closeOnShutdown() {
        Thread hook = Thread.ofPlatform().name("laneway-shutdown").unstarted(this::close);
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException goingDown) {
            throw new ConfigurationException(
                    "closeOnShutdown",
                    true,
                    "the process is ending already",
                    "start no consumer then, or set it to false and close the consumer yourself");
        }
        var _ = ended.thenRun(() -> forget(hook));
    }

    /**
     * Makes the observers, who hear of all that happens from here on. Before the start.
     *
     * @param group of the consumer; null where it has none
     */
    void observe(@Nullable String group) {
        ObservedConsumer observed = new ObservedConsumer(options.name(), group, this, members);
        List<LanewayObserver> made = new ArrayList<>();
        try {
            options.observers().forEach(factory -> made.add(factory.observe(observed)));
            if (TracedRecords.areTraced() && made.stream().noneMatch(LanewayObserver::tracesAttempts)) {
                made.add(new AgentSpans());
                members.forEach(member -> member.observers().ifPresent(ObserverCalls::leaveToAgent));
            }
        } finally { // Those that were made hear of the end, also where another cannot be made.
            members.forEach(member -> member.observers().ifPresent(observers -> observers.begin(made)));
        }
    }

    /** All members have ended, or none has started. */
    void endObservers(@Nullable Throwable failure) {
        members.getFirst().observers().ifPresent(observers -> observers.ended(failure));
        members.forEach(member -> member.observers().ifPresent(ObserverCalls::close));
    }

    void start() {
        for (Member member : members) {
            // One that fails takes the others along: half a consumer would look like a healthy one.
            var _ = member.lifecycle().ended().thenRun(() -> {
                if (member.lifecycle().failure() != null) {
                    tellToClose(options.limits().closeLimit());
                }
            });
            member.owner().start();
        }
        if (probe != null) {
            probe.start();
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException goingDown) {
            // The process ends and the hook has done its work.
        }
    }

    @Override
    public State state() {
        List<State> states =
                members.stream().map(member -> member.lifecycle().state()).toList();
        return states.stream().allMatch(State::isTerminal) && states.contains(State.FAILED)
                ? State.FAILED
                : states.stream().min(Comparator.naturalOrder()).orElseThrow();
    }

    @Override
    public Health health() {
        List<String> down = new ArrayList<>();
        List<String> degraded = new ArrayList<>();
        List<String> up = new ArrayList<>();
        boolean live = true;
        for (Member member : members) {
            State state = member.lifecycle().state();
            Throwable failure = member.lifecycle().failure();
            long silence = state.isTerminal() ? 0 : member.sinceTurnNanos();
            live &= failure == null && silence <= options.limits().stallLimit().toNanos();
            if (failure != null) {
                down.add(Health.Cause.MEMBER_FAILED.reason(String.valueOf(failure.getMessage())));
            } else if (state.isTerminal()) {
                down.add(Health.Cause.MEMBER_CLOSED.words());
            } else {
                silent(member, silence).ifPresent(told -> down.add(Health.Cause.STUCK_MEMBER.reason(told)));
            }
            down.addAll(member.core().conditions().reasons(Health.Status.DOWN));
            member.core().stallDetector().stalls().forEach(stall -> down.add(Health.Cause.STUCK_KEY.reason(stall)));
            degraded.addAll(member.core().conditions().reasons(Health.Status.DEGRADED));
            degraded.addAll(member.engine().troubles());
            up.addAll(member.core().conditions().reasons(Health.Status.UP));
            if (member.scheduler().rejection() != null) {
                degraded.add(Health.Cause.TOO_FEW_THREADS.reason("no further worker can be started: "
                        + member.scheduler().rejection()));
            }
        }
        if (!ended.isDone()) {
            down.addAll(cluster.reasons(Health.Status.DOWN));
            degraded.addAll(cluster.reasons(Health.Status.DEGRADED));
            up.addAll(cluster.reasons(Health.Status.UP));
        }
        Health.Status status =
                !down.isEmpty() ? Health.Status.DOWN : !degraded.isEmpty() ? Health.Status.DEGRADED : Health.Status.UP;
        down.addAll(degraded);
        down.addAll(ended.isDone() ? List.of() : up);
        return new Health(status, down.stream().distinct().toList(), live, age());
    }

    /** What keeps the owner from its turns. A listener's own condition tells of it but for what concerns the end. */
    private Optional<String> silent(Member member, long silence) {
        Optional<String> told = told(member);
        if (ending && told.isPresent()) {
            return told.map(call -> "the consumer does not close, since " + call);
        }
        if (silence <= options.limits().healthLimit().toNanos()) {
            return Optional.empty();
        }
        return Optional.of("the owner thread has taken no turn for " + TimeUnit.NANOSECONDS.toSeconds(silence)
                + " s, so nothing is fetched: "
                + told.orElse("look for a broker that does not answer, and in a stack dump at its thread"));
    }

    /** Which code of the user's keeps the member's owner, in words. */
    private static Optional<String> told(Member member) {
        return member.calls().stream().flatMap(call -> call.told().stream()).findFirst();
    }

    /** Since the latest turn of the owner that took one the longest ago; zero when all have ended. */
    private Duration age() {
        return Duration.ofNanos(members.stream()
                .filter(member -> !member.lifecycle().state().isTerminal())
                .mapToLong(Member::sinceTurnNanos)
                .max()
                .orElse(0));
    }

    @Override
    public Snapshot snapshot() {
        return SnapshotSum.of(state(), members.stream().map(Member::snapshot).toList());
    }

    /** Asks the owner; when it has ended, it answers no more and {@code otherwise} does. */
    private static void ask(Member member, Event question, Runnable otherwise) {
        member.inbox().add(question);
        if (member.lifecycle().state().isTerminal()) {
            otherwise.run();
        }
    }

    @Override
    public Set<TopicPartition> assignment() {
        Set<TopicPartition> all = new HashSet<>();
        members.forEach(member -> all.addAll(member.assignment().ids()));
        return Set.copyOf(all);
    }

    @Override
    public void pause() {
        tellAll(new Event.PauseAll());
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        members.forEach(member -> member.requireOwnPartitions("pause(partitions)"));
        tellAll(new Event.Pause(Set.copyOf(partitions)));
    }

    @Override
    public void resume() {
        tellAll(new Event.ResumeAll());
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        members.forEach(member -> member.requireOwnPartitions("resume(partitions)"));
        tellAll(new Event.Resume(Set.copyOf(partitions)));
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("seek offset " + offset + " is negative");
        }
        members.forEach(any -> any.requireOwnPartitions("seek"));
        Member member = members.stream()
                .filter(one -> one.assignment().ids().contains(partition))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(partition + " is not assigned, so it cannot seek"));
        if (isInside()) {
            throw new IllegalStateException(
                    "seek waits for the handlers in flight, so it cannot be called from one or from a rebalance"
                            + " listener: call it from another thread, or use startAt");
        }
        CompletableFuture<Void> answer = new CompletableFuture<>();
        ask(
                member,
                new Event.Seek(partition, offset, answer),
                () -> answer.completeExceptionally(new IllegalStateException("the consumer has ended")));
        join(answer);
    }

    @Override
    public boolean drain(Duration limit) {
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (Member member : members) {
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            answers.add(answer);
            ask(member, new Event.Drain(limit, answer), () -> answer.complete(false));
        }
        ending = true;
        return !isInside() && awaitEnd(limit) && answers.stream().allMatch(answer -> answer.getNow(false));
    }

    @Override
    public void close() {
        close(options.limits().closeLimit());
    }

    private void tellToClose(Duration limit) {
        members.forEach(member -> member.inbox().close(limit));
    }

    /** As {@link #close(Duration)}, without waiting for the end. */
    void closeLater(Duration limit) {
        tellToClose(limit);
    }

    /** Nobody waits for what is in flight any more. Without waiting. */
    void abandonLater() {
        tellAll(new Event.Abandon());
    }

    /** Completes when all members have ended; never exceptionally. */
    CompletionStage<@Nullable Void> ended() {
        return ended.minimalCompletionStage();
    }

    /** Whether at the end of each member nothing was in flight. */
    boolean isFinished() {
        return members.stream().allMatch(member -> member.lifecycle().hasEndedIdle());
    }

    @Override
    public void close(Duration limit) {
        ending = true;
        tellToClose(limit);
        if (!isInside()) {
            awaitEnd(limit);
        }
    }

    /**
     * Waits for the end. What the engine does itself is over soon after the limit; a listener that is not is
     * interrupted then, and if it does not return either, the caller waits no longer.
     */
    private boolean awaitEnd(Duration limit) {
        boolean over = isEndedWithin(DurationNanos.of(limit));
        for (int hung = 0; !over && hung < HUNG_LOOKS; ) {
            members.forEach(member -> member.calls().forEach(ListenerCall::interrupt));
            over = isEndedWithin(HUNG_LOOK_NANOS);
            hung = members.stream().anyMatch(member -> told(member).isPresent()) ? hung + 1 : 0;
        }
        if (!over) {
            members.forEach(member -> told(member)
                    .ifPresent(told -> log.error(
                            "the consumer is not closed after {}, since {}; nobody waits for it any longer, its group"
                                    + " gives its partitions to others in time: mend the listener or observer",
                            ReadableDuration.of(limit),
                            told)));
        }
        return over;
    }

    private boolean isEndedWithin(long nanos) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    ended.get(nanos, TimeUnit.NANOSECONDS);
                    return true;
                } catch (TimeoutException notYet) {
                    return false;
                } catch (ExecutionException impossible) {
                    throw new IllegalStateException("the end of a member never fails", impossible);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whether the caller is one of the members' own threads, which must not wait for its own end. */
    private boolean isInside() {
        return members.stream().anyMatch(member -> member.owner().isCurrent() || Worker.isCurrent(member.scheduler()));
    }

    @Override
    public void awaitTermination() throws InterruptedException {
        try {
            ended.get();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("the end of a member never fails", impossible);
        }
        rethrow();
    }

    @Override
    public boolean awaitTermination(Duration limit) throws InterruptedException {
        try {
            ended.get(DurationNanos.of(limit), TimeUnit.NANOSECONDS);
        } catch (TimeoutException notYet) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("the end of a member never fails", impossible);
        }
        rethrow();
        return true;
    }

    private void rethrow() {
        Throwable failure = failure().orElse(null);
        switch (failure) {
            case null -> {}
            case LanewayException own -> throw own;
            default -> throw new BrokerException("the consumer failed: " + failure, failure);
        }
    }

    @Override
    public Optional<Throwable> failure() {
        return members.stream()
                .map(member -> member.lifecycle().failure())
                .filter(Objects::nonNull)
                .findFirst();
    }

    private void tellAll(Event event) {
        members.forEach(member -> member.inbox().add(event));
    }

    private static <T> T join(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw failure;
        }
    }
}
