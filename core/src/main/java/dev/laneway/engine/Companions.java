package dev.laneway.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;

/** Partitions of other members whose starts are found here, since this member begins their topics. The owner only. */
final class Companions {
    /** So long partitions of a topic that is begun wait for those without an answer. */
    private static final long TOGETHER_NANOS = 5_000_000_000L;

    private final Host host;
    /** Forgets one everywhere else. */
    private final Consumer<Start> forget;

    private final Map<TopicPartition, Start> others = new HashMap<>();

    Companions(Host host, Consumer<Start> forget) {
        this.host = host;
        this.forget = forget;
    }

    boolean isEmpty() {
        return others.isEmpty();
    }

    /** False when it is known already. */
    boolean add(Start other) {
        return others.putIfAbsent(other.id, other) == null;
    }

    void begun(Start other) {
        others.remove(other.id);
    }

    /** This member begins the topic no more. */
    void leave(String topic) {
        new ArrayList<>(others.values())
                .stream().filter(other -> other.id.topic().equals(topic)).forEach(this::leave);
    }

    /**
     * Whether all starts that are found for others are known, or have no answer: then those are left to them.
     *
     * @param own this member's partitions that are starting
     */
    boolean beginTogether(Collection<Start> own) {
        if (others.isEmpty()) {
            return true;
        }
        Set<String> begun = new HashSet<>();
        others.keySet().forEach(id -> begun.add(id.topic()));
        if (Stream.concat(others.values().stream(), own.stream())
                .anyMatch(start -> start.offset < 0 && begun.contains(start.id.topic()) && !isSilent(start))) {
            return false;
        }
        new ArrayList<>(others.values())
                .stream().filter(other -> other.offset < 0).forEach(this::leave);
        return true;
    }

    private boolean isSilent(Start start) {
        return start.unanswered > 0 && host.nanoTime() - start.sinceNanos >= TOGETHER_NANOS;
    }

    private void leave(Start other) {
        others.remove(other.id);
        forget.accept(other);
    }
}
