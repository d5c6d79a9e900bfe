package dev.laneway.ops.observe;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import javax.management.MBeanServerConnection;

/**
 * Counts what threads that run users' code do, see {@link JmxSource}. At each read it takes {@value #SAMPLES} samples,
 * {@value #PAUSE_MILLIS} ms apart, of at most {@value #MOST_SAMPLED} threads, and looks for such threads among
 * {@value #MOST_LOOKED_AT} others, other ones at each read. Used by one thread.
 */
final class StackSampler {
    static final int SAMPLES = 5;
    static final int PAUSE_MILLIS = 20;
    static final int MOST_SAMPLED = 64;
    static final int MOST_LOOKED_AT = 256;

    private static final int DEPTH = 256;

    private final Set<Long> usersThreads = new HashSet<>();
    private final Map<String, Counts> counts = new TreeMap<>();
    private int nextLookedAt;

    private static final class Counts {
        long all;
        long waiting;
        long kafka;
        long producer;
    }

    void read(MBeanServerConnection jvm, PollCallers callers, SampleBuilder into) throws IOException {
        ThreadMXBean threads =
                ManagementFactory.newPlatformMXBeanProxy(jvm, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        long[] alive = threads.getAllThreadIds();
        usersThreads.retainAll(LongStream.of(alive).boxed().toList());
        look(threads, alive, callers);
        long[] sampled =
                usersThreads.stream().mapToLong(id -> id).limit(MOST_SAMPLED).toArray();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < SAMPLES && sampled.length > 0; i++) {
            if (i > 0) {
                LockSupport.parkNanos(PAUSE_MILLIS * 1_000_000L);
            }
            for (ThreadInfo thread : threads.getThreadInfo(sampled, DEPTH)) {
                if (thread != null) { // It may have ended.
                    count(thread);
                    seen.add(thread.getThreadName());
                }
            }
        }
        counts.keySet().retainAll(seen);
        counts.forEach((thread, of) -> {
            Map<String, String> tags = Map.of("thread-group", thread);
            into.put(Metric.of(Groups.THREADS, "samples-total", tags), of.all);
            into.put(Metric.of(Groups.THREADS, "waiting-samples-total", tags), of.waiting);
            into.put(Metric.of(Groups.THREADS, "kafka-samples-total", tags), of.kafka);
            into.put(Metric.of(Groups.THREADS, "producer-samples-total", tags), of.producer);
        });
    }

    private void look(ThreadMXBean threads, long[] alive, PollCallers callers) {
        Arrays.sort(alive);
        int first = nextLookedAt < alive.length ? nextLookedAt : 0;
        int end = Math.min(alive.length, first + MOST_LOOKED_AT);
        nextLookedAt = end;
        for (ThreadInfo thread : threads.getThreadInfo(Arrays.copyOfRange(alive, first, end), DEPTH)) {
            if (thread != null
                    && ThreadActivity.runsUsersCode(thread.getThreadName(), thread.getStackTrace(), callers)) {
                usersThreads.add(thread.getThreadId());
            }
        }
    }

    private void count(ThreadInfo thread) {
        ThreadActivity activity = ThreadActivity.of(thread.getThreadState(), thread.getStackTrace());
        Counts of = counts.computeIfAbsent(thread.getThreadName(), _ -> new Counts());
        switch (activity) {
            case RUNS, IDLE -> of.all++;
            case WAITS_FOR_KAFKA -> {
                of.all++;
                of.kafka++;
            }
            case WAITS_FOR_PRODUCER -> {
                of.all++;
                of.kafka++;
                of.producer++;
            }
            case WAITS_ELSEWHERE -> {
                of.all++;
                of.waiting++;
            }
        }
    }
}
