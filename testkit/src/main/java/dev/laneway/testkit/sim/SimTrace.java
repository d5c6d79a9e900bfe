package dev.laneway.testkit.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * A hash over the events of a simulation and their order. Two runs with the same seed must give the same hash; if they
 * do not, the code under test depends on real time, real threads or an unordered collection.
 *
 * <p>The usual causes are {@code Set.of}, {@code Map.of} and their {@code copyOf}, whose order differs between JVMs.
 *
 * <p>The latest lines are kept too, for the message of a failed run. Thread contract: one thread at a time.
 */
public final class SimTrace {
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final SimClock clock;
    private final Object[][] latest;
    private long hash = FNV_OFFSET;
    private long events;

    SimTrace(SimClock clock, int keptLines) {
        this.clock = clock;
        this.latest = new Object[keptLines][];
    }

    /**
     * Adds an event. The code under test may add its own, for instance each call of a handler.
     *
     * @param parts numbers and other immutable values; their {@code toString()} must not depend on identity
     */
    public void event(String what, Object... parts) {
        mix(clock.nanoTime());
        mix(what);
        for (Object part : parts) {
            mix(part);
        }
        if (latest.length > 0) {
            Object[] line = new Object[parts.length + 2];
            line[0] = clock.nanoTime();
            line[1] = what;
            System.arraycopy(parts, 0, line, 2, parts.length);
            latest[(int) (events % latest.length)] = line;
        }
        events++;
    }

    /** The hash over all events so far (FNV-1a, 64 bits). */
    public long hash() {
        return hash;
    }

    /** How many events there were. */
    public long events() {
        return events;
    }

    /** The latest events as text, oldest first. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (long i = Math.max(0, events - latest.length); i < events; i++) {
            lines.add(format(latest[(int) (i % latest.length)]));
        }
        return lines;
    }

    private static String format(Object[] line) {
        StringBuilder text = new StringBuilder();
        long nanos = (Long) line[0];
        text.append(nanos / 1_000_000)
                .append('.')
                .append(String.format("%06d", nanos % 1_000_000))
                .append(" ms");
        for (int i = 1; i < line.length; i++) {
            text.append(' ').append(line[i]);
        }
        return text.toString();
    }

    private void mix(Object part) {
        if (part instanceof Number number) {
            mix(number.longValue());
        } else {
            String text = String.valueOf(part);
            for (int i = 0; i < text.length(); i++) {
                hash = (hash ^ text.charAt(i)) * FNV_PRIME;
            }
            // Without an end mark "a","bc" and "ab","c" would be one event.
            hash = (hash ^ 0xffff) * FNV_PRIME;
        }
    }

    private void mix(long value) {
        for (int shift = 0; shift < 64; shift += 8) {
            hash = (hash ^ ((value >>> shift) & 0xff)) * FNV_PRIME;
        }
    }
}
