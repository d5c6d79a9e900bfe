package dev.laneway.engine;

import static dev.laneway.engine.Records.ORDERS_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Health;
import dev.laneway.LanewayObserver;
import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.State;
import dev.laneway.engine.runtime.ObserverCalls;
import dev.laneway.engine.track.AssignedRecords;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What observers hear of a member that is moved by hand, and what they can do to it: nothing. */
class ObservedMemberTest {
    private static final TopicPartition ORDERS_1 = new TopicPartition("orders", 1);

    private final List<String> told = new ArrayList<>();
    private final Map<Long, CompletableFuture<Outcome>> running = new HashMap<>();
    private @Nullable HandEngine member;

    /** Each call of any method of an observer, as its name and what it was given. */
    private interface Heard {
        @Nullable
        Object heard(String method, Object[] given);
    }

    private static LanewayObserver observer(Heard heard) {
        return (LanewayObserver) Proxy.newProxyInstance(
                LanewayObserver.class.getClassLoader(),
                new Class<?>[] {LanewayObserver.class},
                (self, method, given) -> heard.heard(method.getName(), given == null ? new Object[0] : given));
    }

    private HandEngine member(Options options, LanewayObserver... observers) {
        List<LanewayObserver.Factory> factories = Arrays.stream(observers)
                .map(observer -> (LanewayObserver.Factory) _ -> observer)
                .toList();
        member = new HandEngine(options.withObservers(factories), (record, context) -> at(record.offset()));
        return member;
    }

    private CompletableFuture<Outcome> at(long offset) {
        return running.computeIfAbsent(offset, _ -> new CompletableFuture<>());
    }

    private LanewayObserver noting() {
        return observer((method, given) -> {
            told.add(method);
            return null;
        });
    }

    /** Retried, given up, committed, dropped, late: all that one member can tell by hand. */
    private void live(HandEngine hand) {
        hand.assign(ORDERS_0, ORDERS_1)
                .polled(Records.chunk(ORDERS_0, 0, "a", 0))
                .polled(Records.chunk(ORDERS_1, 7, "b", 0))
                .turn();
        at(0).completeExceptionally(new IllegalStateException("no stock"));
        running.remove(0L);
        for (int i = 0; i < 100; i++) {
            hand.turn().host.pass(20_000_000);
        }
        at(0).completeExceptionally(new IllegalStateException("no stock"));
        for (int i = 0; i < 100; i++) {
            hand.turn().host.pass(20_000_000);
            while (!hand.consumer.unanswered.isEmpty()) {
                hand.consumer.unanswered.remove().answer(null);
            }
        }
        hand.consumer.rebalance(List.of(ORDERS_0));
        hand.turn();
        at(7).complete(Outcome.done());
        for (int i = 0; i < 100; i++) {
            hand.turn().host.pass(20_000_000);
        }
    }

    private static Options options() {
        return Options.DEFAULTS.withFailurePolicy(
                FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(100)), 2).thenSkip());
    }

    @Test
    @DisplayName("B151 an observer hears of attempts, failures, retries, skips, fetches, commits, rebalances, states")
    void hearsAll() {
        HandEngine hand = member(options(), noting());
        live(hand);
        hand.engine.end(null);
        assertThat(new TreeSet<>(told))
                .containsExactly(
                        "assigned",
                        "attemptFailed",
                        "attemptStarted",
                        "committed",
                        "dropped",
                        "fetched",
                        "late",
                        "retryScheduled",
                        "revoked",
                        "skipped",
                        "stateChanged");
        assertThat(told.stream().filter("attemptFailed"::equals)).hasSize(2);
        assertThat(told.stream().filter("retryScheduled"::equals)).hasSize(1);
        assertThat(hand.parts.core().lifecycle().state()).isEqualTo(State.CLOSED);
    }

    @Test
    @DisplayName("B151 what hears of an attempt hears of its handler's return, and of the end of its stage")
    void hearsOfTheStage() {
        List<String> ends = new ArrayList<>();
        HandEngine hand =
                member(options(), observer((method, given) -> method.equals("attemptStarted") ? ending(ends) : null));
        hand.assign(ORDERS_0).polled(Records.chunk(0, "ab")).turn();
        assertThat(ends).containsExactly("returned", "returned");
        at(0).completeExceptionally(new IllegalStateException("no stock"));
        at(1).complete(Outcome.done());
        assertThat(ends).containsExactly("returned", "returned", "java.lang.IllegalStateException: no stock", "null");
    }

    private static LanewayObserver.Attempt ending(List<String> ends) {
        return new LanewayObserver.Attempt() {
            @Override
            public void returned() {
                ends.add("returned");
            }

            @Override
            public void ended(@Nullable Throwable failure) {
                ends.add(String.valueOf(failure));
            }
        };
    }

    @Test
    @DisplayName("B151 no observer is called while the guard of a track is held")
    void neverUnderAGuard() {
        List<AssignedRecords> held = new ArrayList<>();
        Set<String> guarded = new TreeSet<>();
        HandEngine hand = member(options(), observer((method, given) -> {
            HandEngine self = member;
            if (self != null) {
                self.parts.core().assignment().all().forEach(partition -> held.add(partition.held));
            }
            held.stream().filter(records -> !isFree(records)).forEach(_ -> guarded.add(method));
            told.add(method);
            return null;
        }));
        live(hand);
        assertThat(told).contains("late", "dropped", "committed", "attemptStarted");
        assertThat(guarded).isEmpty();
    }

    /** Whether another thread can have the guard. */
    private static boolean isFree(AssignedRecords records) {
        boolean[] free = new boolean[1];
        try {
            Thread other = Thread.ofVirtual().start(() -> {
                if (records.guard.tryEnter()) {
                    records.guard.close();
                    free[0] = true;
                }
            });
            other.join();
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
        return free[0];
    }

    @Test
    @DisplayName("B152 an observer that throws from each method changes nothing, and others are told all the same")
    void throwing() {
        List<String> plain = new ArrayList<>();
        HandEngine quiet = member(options(), observer((method, given) -> {
            plain.add(method);
            return null;
        }));
        live(quiet);
        running.clear();
        HandEngine disturbed = member(
                options(),
                observer((method, given) -> {
                    throw new StackOverflowError(method);
                }),
                noting());
        live(disturbed);
        assertThat(told).isEqualTo(plain);
        assertThat(disturbed.parts.core().counts().read())
                .isEqualTo(quiet.parts.core().counts().read());
        assertThat(disturbed.partition(ORDERS_0).committed).isEqualTo(quiet.partition(ORDERS_0).committed);
        assertThat(disturbed.parts.core().lifecycle().failure()).isNull();
    }

    @Test
    @DisplayName("B152 the end of an attempt that throws leaves its record done, of two who listen to one attempt, too")
    void throwingAtTheEnd() {
        List<String> ends = new ArrayList<>();
        HandEngine hand = member(
                options(),
                observer((method, given) -> method.equals("attemptStarted") ? new Bad() : null),
                observer((method, given) -> method.equals("attemptStarted") ? ending(ends) : null));
        at(0).complete(Outcome.done());
        hand.assign(ORDERS_0).polled(Records.chunk(0, "a")).turn();
        assertThat(ends).containsExactly("returned", "null");
        assertThat(hand.parts.core().counts().read().processed()).isEqualTo(1);
    }

    private static final class Bad implements LanewayObserver.Attempt {
        @Override
        public void returned() {
            throw new IllegalStateException("returned");
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            throw new IllegalStateException("ended");
        }
    }

    @Test
    @DisplayName("B152 while an observer keeps the owner, health says which method has not returned")
    void healthNamesIt() {
        List<String> reasons = new ArrayList<>();
        HandEngine hand = member(options(), observer((method, given) -> {
            HandEngine self = member;
            if (method.equals("fetched") && self != null) {
                self.host.pass(Options.DEFAULTS.limits().healthLimit().toNanos());
                reasons.addAll(self.parts.core().conditions().reasons(Health.Status.DOWN));
                reasons.addAll(self.parts.core().counts().observers.call().told().stream()
                        .toList());
            }
            return null;
        }));
        hand.assign(ORDERS_0).polled(Records.chunk(0, "a")).turn();
        assertThat(reasons).hasSize(2);
        assertThat(reasons.getFirst())
                .startsWith("a member makes no progress: the observer's fetched has not returned, so nothing");
        assertThat(reasons.getLast()).startsWith("the observer's fetched has not returned, at ");
        assertThat(hand.parts.core().conditions().reasons(Health.Status.DOWN)).isEmpty();
    }

    @Test
    @DisplayName("B151 where nobody listens there is nothing to call, and no clock is asked for it")
    void nobody() {
        HandEngine hand = new HandEngine(Options.DEFAULTS, (record, context) -> at(record.offset()));
        assertThat(hand.parts.core().counts().observers).isNull();
        assertThat(ObserverCalls.of(
                        hand.host, Options.DEFAULTS, "member", hand.parts.core().conditions()))
                .isNull();
    }

    @Test
    @DisplayName("B151 each method of an observer says on which thread it is called")
    void threadsAreDocumented() throws Exception {
        String source = Files.readString(Path.of("src/main/java/dev/laneway/LanewayObserver.java"));
        String methods = source.substring(source.indexOf("A handler is about to be called"));
        List<String> comments = Stream.of(methods.split("/\\*\\*")).toList();
        Set<String> names = Arrays.stream(LanewayObserver.class.getDeclaredMethods())
                .map(Method::getName)
                .collect(Collectors.toSet());
        assertThat(comments).hasSize(names.size());
        assertThat(comments)
                .allMatch(comment -> comment.contains("worker")
                        || comment.contains("owner thread")
                        || comment.contains("As {@link #revoked}"));
    }
}
