package dev.laneway.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Tells people what is done to whom, as it happens, and keeps it for the audit. Used by one thread. */
final class FaultLog {
    private final PrintStream text;
    private final long start = System.nanoTime();
    private final List<Fault> faults = new ArrayList<>();

    FaultLog(PrintStream text) {
        this.text = text;
    }

    /** Notes a fault that is about to be made; returns its number. */
    int made(Fault.Kind kind, int target, String what) {
        faults.add(new Fault(kind, target, Journal.now(), Long.MAX_VALUE));
        say(what);
        return faults.size() - 1;
    }

    /** Notes that a fault's effect is gone. */
    void over(int number, String what) {
        faults.set(number, faults.get(number).until(Journal.now()));
        say(what);
    }

    void say(String what) {
        Duration gone = Duration.ofNanos(System.nanoTime() - start);
        text.printf("%3d:%02d  %s%n", gone.toMinutes(), gone.toSecondsPart(), what);
        text.flush();
    }

    /** How often a kind was made. */
    long times(Fault.Kind kind) {
        return faults.stream().filter(fault -> fault.kind() == kind).count();
    }

    List<Fault> faults() {
        return List.copyOf(faults);
    }
}
