package dev.laneway.engine.handle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.FailurePolicy;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.Outcome;
import dev.laneway.engine.Records;
import dev.laneway.engine.Shop;
import dev.laneway.engine.track.Track;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which work a worker takes first. */
class SchedulerTest {
    private final Deque<CompletableFuture<Outcome>> stages = new ArrayDeque<>();
    private final List<Integer> begun = new ArrayList<>();

    /** One permit, which each pending stage keeps: every worker finds work once, and leaves. */
    private Shop oneAtATime() {
        return Shop.async(Options.DEFAULTS.withOrdering(Ordering.UNORDERED).withConcurrency(1), (record, context) -> {
            begun.add(record.partition());
            stages.add(new CompletableFuture<>());
            return stages.getLast();
        });
    }

    @Test
    @DisplayName("B23 what asynchronous handlers have ended is settled before new records start")
    void resultsBeforeRecords() {
        Shop shop = oneAtATime();
        shop.poll("abcdefghij");
        for (int completed = 1; completed <= 6; completed++) {
            stages.remove().complete(Outcome.done());
            shop.turn();
            assertThat(shop.machine.counts.processed.sum()).isEqualTo(completed);
        }
    }

    @Test
    @DisplayName("B23 a busy key whose handler is asynchronous lets others have their turn after each of its results")
    void busyKeyTakesTurns() {
        List<String> keys = new ArrayList<>();
        Deque<CompletableFuture<Outcome>> busy = new ArrayDeque<>();
        Shop shop = Shop.async(Options.DEFAULTS.withOrdering(Ordering.KEY).withConcurrency(2), (record, context) -> {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            keys.add(key);
            CompletableFuture<Outcome> stage = new CompletableFuture<>();
            if (key.equals("a")) {
                busy.add(stage);
            } else {
                stages.add(stage);
            }
            return stage;
        });
        shop.poll("aaaaaaaabcdefghijkl");
        for (int ended = 1; ended <= 8; ended++) {
            (busy.isEmpty() ? stages : busy).remove().complete(Outcome.done());
            shop.turn();
        }
        assertThat(keys.subList(0, 8)).contains("b", "c", "d");
    }

    @Test
    @DisplayName("A stage that can only be waited for is waited for, complete or not")
    void minimalStages() {
        CompletableFuture<Outcome> later = new CompletableFuture<>();
        CompletableFuture<Outcome> done = CompletableFuture.completedFuture(Outcome.done());
        Shop shop = Shop.async(
                Options.DEFAULTS.withFailurePolicy(FailurePolicy.stop()),
                (record, context) -> (record.key()[0] == 'a' ? later : done).minimalCompletionStage());
        shop.poll("ab");
        shop.turn();
        assertThat(shop.machine.counts.processed.sum()).isEqualTo(1);
        later.complete(Outcome.done());
        shop.turn();
        assertThat(shop.machine.counts.processed.sum()).isEqualTo(2);
        assertThat(shop.fatal).isEmpty();
    }

    @Test
    @DisplayName("B23 partitions take turns, however short workers live")
    void partitionsTakeTurns() {
        Shop shop = oneAtATime();
        for (int partition = 1; partition <= 2; partition++) {
            TopicPartition id = new TopicPartition("orders", partition);
            shop.machine.track(id, 0, null).append(Records.chunk(id, 0, "abcdef"), 6);
        }
        shop.poll("abcdef");
        for (int completed = 1; completed < 12; completed++) {
            stages.remove().complete(Outcome.done());
            shop.turn();
        }
        assertThat(begun.subList(0, 12).stream().distinct()).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(begun.subList(0, 12)).filteredOn(partition -> partition == 0).hasSizeBetween(3, 5);
    }

    @Test
    @DisplayName("A worker does not wait for a partition that another thread has, while it can have another one")
    void partitionsThatNobodyHasFirst() throws InterruptedException {
        Shop shop = oneAtATime();
        TopicPartition one = new TopicPartition("orders", 1);
        Track second = shop.machine.track(one, 0, null);
        second.append(Records.chunk(one, 0, "abc"), 3);
        shop.poll("abc");
        int first = begun.getFirst();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Thread holder = Thread.ofVirtual().start(() -> {
            try (var _ = (first == 0 ? second : shop.track).guard.enter()) {
                held.countDown();
                over.await(5, TimeUnit.SECONDS); // For a worker that waits for it to be seen, not to hang.
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        });
        held.await();
        // Its result, and then a record: the other partition's turn, which cannot be had.
        stages.remove().complete(Outcome.done());
        shop.turn();
        shop.turn();
        assertThat(begun).containsExactly(first, first);
        over.countDown();
        holder.join();
    }

    @Test
    @DisplayName("Workers are idle when some are free and what is held is being handled, or waits for what is")
    void idleWorkers() {
        Shop shop = Shop.async(Options.DEFAULTS.withConcurrency(2), (record, context) -> {
            stages.add(new CompletableFuture<>());
            return stages.getLast();
        });
        Scheduler scheduler = shop.machine.scheduler;
        assertThat(scheduler.hasIdleWorkers()).isTrue();
        shop.poll("aaa");
        assertThat(scheduler.hasIdleWorkers()).isTrue();
        shop.poll("bc");
        assertThat(stages).hasSize(2);
        assertThat(scheduler.hasIdleWorkers()).isFalse();
        while (!stages.isEmpty()) {
            stages.remove().complete(Outcome.done());
            shop.turn();
        }
        assertThat(scheduler.hasIdleWorkers()).isTrue();
    }

    @Test
    @DisplayName("A worker whose turns are over ends, and another one goes on")
    void workersAreYoung() {
        Shop shop = Shop.async(
                Options.DEFAULTS.withOrdering(Ordering.UNORDERED).withConcurrency(1),
                (record, context) -> CompletableFuture.completedFuture(Outcome.skip("it looks for work anew")));
        shop.poll("abcdefghijklmnopqrstuvwxyz");
        assertThat(shop.machine.counts.processed.sum()).isEqualTo(26);
        assertThat(shop.machine.counts.workersStarted.sum()).isGreaterThanOrEqualTo(26 / 8);
        assertThat(shop.machine.scheduler.running()).isZero();
    }
}
