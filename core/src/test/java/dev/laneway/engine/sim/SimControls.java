package dev.laneway.engine.sim;

import dev.laneway.PartitionSnapshot;
import dev.laneway.engine.track.Event;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What the user of one process asks of it, and what must hold from then on. */
final class SimControls {
    /** The turn in which something was asked for may be half over, the next one begins with it. */
    private static final int TURNS_TO_HEAR = 2;

    private final SimProcess process;
    /** Since which turn everything is paused; null when it is not. */
    private @Nullable Long allPaused;

    private final Map<TopicPartition, Long> paused = new HashMap<>();
    private final Map<String, CompletableFuture<?>> answers = new LinkedHashMap<>();

    SimControls(SimProcess process) {
        this.process = process;
    }

    /** Asks for something that the seed chooses. */
    void act(SplittableRandom random, SimWorld world) {
        TopicPartition id = world.partitions.get(random.nextInt(world.partitions.size()));
        switch (random.nextInt(24)) {
            case 0, 1, 2 -> pauseAll();
            case 3, 4, 5, 6 -> pause(id);
            case 7, 8, 9, 10 -> resumeAll();
            case 11, 12, 13, 14 -> resume(id);
            case 15, 16, 17, 18 -> {
                long start = world.sim.broker().startOffset(id);
                seek(id, start + random.nextLong(world.sim.broker().endOffset(id) - start + 1));
            }
            case 19 -> drain(Duration.ofMillis(random.nextInt(10_000)));
            case 20 -> process.close(Duration.ofMillis(random.nextInt(3_000)));
            default -> tell(world);
        }
    }

    private void pauseAll() {
        allPaused = process.owner.turns();
        add(new Event.PauseAll());
    }

    void pause(TopicPartition id) {
        paused.putIfAbsent(id, process.owner.turns());
        add(new Event.Pause(List.of(id)));
    }

    void resumeAll() {
        allPaused = null;
        paused.clear();
        add(new Event.ResumeAll());
    }

    private void resume(TopicPartition id) {
        paused.remove(id);
        add(new Event.Resume(List.of(id)));
    }

    private void seek(TopicPartition id, long offset) {
        CompletableFuture<Void> answer = question("seek");
        add(new Event.Seek(id, offset, answer));
    }

    private void drain(Duration limit) {
        CompletableFuture<Boolean> answer = question("drain");
        add(new Event.Drain(limit, answer));
    }

    private void tell(SimWorld world) {
        if (process.isEnded()) {
            return;
        }
        for (PartitionSnapshot one : process.engine.turns().snapshot().partitions()) {
            // The map of an earlier owner's commit may name what has yet to be fetched.
            long known = Math.max(one.position(), world.sim.broker().endOffset(one.partition()));
            if (one.committable() > known) {
                throw new IllegalStateException("B116 a snapshot contradicts itself: " + one);
            }
        }
    }

    private <A> CompletableFuture<A> question(String what) {
        CompletableFuture<A> answer = new CompletableFuture<>();
        if (!process.isEnded()) {
            answers.put(answers.size() + " " + what, answer);
        }
        return answer;
    }

    private void add(Event event) {
        if (!process.isEnded()) {
            process.note(event);
            process.parts.core().inbox().add(event);
        }
    }

    /** Whether nothing of the partition may start any more. */
    boolean isPaused(TopicPartition id) {
        Long all = allPaused;
        Long own = paused.get(id);
        return isHeard(all) || isHeard(own);
    }

    private boolean isHeard(@Nullable Long turn) {
        return turn != null && process.owner.turns() >= turn + TURNS_TO_HEAR;
    }

    /** Null when each question has been answered. */
    @Nullable
    String whyUnanswered() {
        List<String> open = answers.entrySet().stream()
                .filter(answer -> !answer.getValue().isDone())
                .map(Map.Entry::getKey)
                .toList();
        return process.isDead() || open.isEmpty() ? null : "B54 not answered: " + open;
    }
}
