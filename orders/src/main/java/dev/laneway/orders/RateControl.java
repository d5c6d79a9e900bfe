package dev.laneway.orders;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The rate now: the schedule's, until a line says another one, which then holds. Thread-safe. */
final class RateControl {
    private final RateSchedule schedule;
    private volatile @Nullable Double given;

    RateControl(RateSchedule schedule) {
        this.schedule = schedule;
    }

    /** Records a second at a time since the start; empty when the schedule is over. */
    OptionalDouble at(long nanos) {
        Double told = given;
        return told == null ? schedule.at(nanos) : OptionalDouble.of(told);
    }

    /** Takes a line; returns what is wrong with it, null if nothing. */
    @Nullable
    String take(String line) {
        OptionalDouble rate = RateSchedule.rate(line.strip());
        if (rate.isEmpty()) {
            return "the line '" + line.strip() + "' sets no rate: it must be a number of records a second from 0 to "
                    + (long) RateSchedule.FASTEST;
        }
        given = rate.getAsDouble();
        return null;
    }

    /** Takes lines in another thread until they end; that they end changes nothing. */
    void listen(Reader lines, PrintStream errors) {
        Thread.ofPlatform().daemon().name("rate-control").start(() -> {
            try (BufferedReader reader = new BufferedReader(lines)) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    String wrong = line.isBlank() ? null : take(line);
                    if (wrong != null) {
                        errors.println("laneway: " + wrong);
                    }
                }
            } catch (IOException gone) {
                // Nobody says rates any more.
            }
        });
    }
}
