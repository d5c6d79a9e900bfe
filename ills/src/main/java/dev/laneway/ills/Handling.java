package dev.laneway.ills;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a member does with a record, by its settings. Thread-safe.
 *
 * <p>Work is by the clock and not by a count of steps: so a busy machine slows it less, and a rate that is too high for
 * one thread is so on every machine.
 */
final class Handling {
    /** The text of a record that no handler can handle. */
    static final String POISON = "poison";

    /** The text of a record that fails at first. */
    static final String BITTER = "bitter";

    private static final long BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int CHUNK = 64;

    private final long spinNanos;
    private final long hangNanos;
    private final long pauseEveryNanos;
    private final long pauseNanos;
    private final Set<String> hangingKeys;
    private final Set<String> failingKeys;
    private final @Nullable ServiceCall service;
    private final int garbage;
    private final long survivingBytes;
    private final long liveBytes;
    private final long start = System.nanoTime();
    private final AtomicLong nextPause;
    private final Set<String> tried = new HashSet<>();
    private final ArrayDeque<byte[]> survivors = new ArrayDeque<>();
    /** What takes room in the heap for good. */
    private final List<byte[]> live = new ArrayList<>();

    Handling(Settings settings) {
        spinNanos = settings.number("spin-us", 0) * 1_000;
        hangNanos = settings.number("hang-after-ms", Long.MAX_VALUE / 1_000_000) * 1_000_000;
        pauseEveryNanos = settings.number("pause-every-ms", Long.MAX_VALUE / 1_000_000) * 1_000_000;
        pauseNanos = settings.number("pause-ms", 0) * 1_000_000;
        hangingKeys = Set.copyOf(settings.list("hanging-keys"));
        failingKeys = Set.copyOf(settings.list("failing-keys"));
        service = settings.has("service") ? ServiceCall.of(settings) : null;
        garbage = (int) settings.number("garbage-kb", 0) * 1024;
        nextPause = new AtomicLong(pauseEveryNanos);
        survivingBytes = settings.number("surviving-kb", 128) << 10;
        liveBytes = settings.number("live-mb", 0) << 20;
    }

    /** A record that cannot be handled, now or ever. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(String message) {
            super(message);
        }
    }

    /**
     * Handles a record.
     *
     * @param place topic, partition and offset, as a text
     * @throws Failure if that cannot be
     */
    void handle(String place, @Nullable String key, byte[] value) {
        long now = System.nanoTime() - start;
        if (now > hangNanos || (key != null && hangingKeys.contains(key))) {
            hang();
        }
        if ((key != null && failingKeys.contains(key)) || is(value, POISON) || (is(value, BITTER) && isFirst(place))) {
            throw new Failure("the record at " + place + " cannot be handled");
        }
        long pause = nextPause.get();
        if (now > pause && nextPause.compareAndSet(pause, now + pauseEveryNanos)) {
            spin(pauseNanos);
        }
        if (service != null) {
            service.call();
        }
        litter();
        spin(spinNanos);
    }

    /** Waits before a record that has failed is tried again. */
    static void backOff() {
        LockSupport.parkNanos(BACKOFF_NANOS);
    }

    static boolean is(byte[] value, String text) {
        return new String(value, 0, Math.min(value.length, text.length()), StandardCharsets.UTF_8).equals(text);
    }

    private synchronized boolean isFirst(String place) {
        return tried.add(place);
    }

    private static void hang() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        }
    }

    private static void spin(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    /** Leaves garbage, part of which lives for some records; and at the first record what lives for ever. */
    private synchronized void litter() {
        if (liveBytes > 0 && live.isEmpty()) { // Now the member's own objects are there.
            fill();
        }
        for (int made = 0; made < garbage; made += CHUNK) {
            survivors.addLast(new byte[CHUNK]);
            if ((long) survivors.size() * CHUNK > survivingBytes) {
                survivors.removeFirst();
            }
        }
    }

    /** Fills the heap until so much of it is used after a collection. */
    private void fill() {
        Runtime runtime = Runtime.getRuntime();
        while (true) {
            System.gc();
            long missing = liveBytes - (runtime.totalMemory() - runtime.freeMemory());
            if (missing <= 0) {
                return;
            }
            for (long made = 0; made < missing; made += 1_024) {
                live.add(new byte[1_000]);
            }
        }
    }
}
