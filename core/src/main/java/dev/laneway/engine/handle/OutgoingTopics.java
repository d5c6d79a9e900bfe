package dev.laneway.engine.handle;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * To which topics is something on its way, or waits to be sent? Producers wait for a topic that is not there and say
 * nothing; who knows this can ask whether it is. Thread-safe.
 */
public final class OutgoingTopics {
    /** Of more topics nothing is told: handlers may name any number. */
    private static final int MOST_TOPICS = 1_000;

    private final ConcurrentMap<String, Way> ways = new ConcurrentHashMap<>();
    private final Way untold = new Way();

    /** What is on its way to one topic. */
    public static final class Way {
        private final LongAdder open = new LongAdder();

        /** An output is handed to the producer. */
        public void begin() {
            open.increment();
        }

        /** The producer has answered, or has not taken it. */
        public void end() {
            open.decrement();
        }
    }

    public Way to(String topic) {
        Way known = ways.get(topic);
        if (known != null) {
            return known;
        }
        return ways.size() < MOST_TOPICS ? ways.computeIfAbsent(topic, _ -> new Way()) : untold;
    }

    /** Those to which something is on its way now. */
    public Set<String> topics() {
        Set<String> topics = new TreeSet<>();
        ways.forEach((topic, way) -> {
            if (way.open.sum() > 0) {
                topics.add(topic);
            }
        });
        return topics;
    }
}
