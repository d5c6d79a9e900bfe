package dev.laneway.bench.workload;

import dev.laneway.bench.measure.Work;
import dev.laneway.cli.workload.Payload;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/**
 * The work on a topic in which the handlers of the first keys hang, each until its key is released. Counts what is done
 * of them. Thread-safe.
 */
final class HangingKeys implements Work.Times {
    private final CountDownLatch[] released;
    private final Duration theirs;
    private final Duration others;
    private final LongAdder done = new LongAdder();

    /**
     * Describes the keys.
     *
     * @param count how many hang: those from 0 on
     * @param theirs the time of each of their records, once the key is released
     * @param others the time of each record of the other keys
     */
    HangingKeys(int count, Duration theirs, Duration others) {
        this.released = new CountDownLatch[count];
        for (int key = 0; key < count; key++) {
            released[key] = new CountDownLatch(1);
        }
        this.theirs = theirs;
        this.others = others;
    }

    /** The work that a probe does. */
    Work work() {
        return new Work(Duration.ofDays(1), 1, false, this);
    }

    void release(int key) {
        released[key].countDown();
    }

    void releaseAll() {
        for (int key = 0; key < released.length; key++) {
            release(key);
        }
    }

    boolean hangs(int key) {
        return key < released.length;
    }

    /** Records of these keys that are done. */
    long done() {
        return done.sum();
    }

    @Override
    public void await(byte[] value) throws InterruptedException {
        int key = Payload.of(value).key();
        if (hangs(key)) {
            released[key].await();
        }
    }

    @Override
    public Duration of(byte[] value) {
        return hangs(Payload.of(value).key()) ? theirs : others;
    }

    @Override
    public void ended(byte[] value) {
        if (hangs(Payload.of(value).key())) {
            done.increment();
        }
    }
}
