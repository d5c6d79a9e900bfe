package dev.laneway.proof;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Prints each fault as it happens, and keeps it for the audit. Used by one thread, except {@link #summary}. */
final class FaultLog {
    private final PrintStream text;
    private final long start = System.nanoTime();
    private final List<Fault> faults = new ArrayList<>();
    private final Map<Fault.Kind, Long> counts = new EnumMap<>(Fault.Kind.class);
    private volatile String summary = "";

    FaultLog(PrintStream text) {
        this.text = text;
    }

    /** Notes a fault before it is made; returns its number. */
    int made(Fault.Kind kind, int target, String what) {
        faults.add(new Fault(kind, target, Journal.now(), Long.MAX_VALUE));
        count(kind, 1);
        say(what);
        return faults.size() - 1;
    }

    /** Notes that a fault's effect is gone. */
    void over(int number, String what) {
        faults.set(number, faults.get(number).until(Journal.now()));
        say(what);
    }

    /** Notes that a fault could not be made: it does not count, but the attempt may have had an effect. */
    void failed(int number, String why) {
        count(faults.get(number).kind(), -1);
        over(number, why);
    }

    private void count(Fault.Kind kind, long more) {
        counts.merge(kind, more, Long::sum);
        StringJoiner words = new StringJoiner(", ");
        counts.forEach((made, times) -> words.add(times + " " + made.label()));
        summary = words.toString();
    }

    void say(String what) {
        Duration gone = Duration.ofNanos(System.nanoTime() - start);
        text.printf("%3d:%02d  %s%n", gone.toMinutes(), gone.toSecondsPart(), what);
        text.flush();
    }

    /** How often a kind was made. */
    long times(Fault.Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** How often each kind was made. */
    Map<Fault.Kind, Long> counts() {
        return Map.copyOf(counts);
    }

    /** How often what was made, for a line of progress; empty before the first. Read by any thread. */
    String summary() {
        return summary;
    }

    /** All that was done, or tried. */
    List<Fault> faults() {
        return List.copyOf(faults);
    }
}
