package dev.laneway.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the verb bench runs. It is a module of its own, since it needs every library that is compared; the verb finds it
 * as a service.
 */
public interface Benchmarks {
    /** Says which scenarios and peers there are. */
    void list(PrintStream out);

    /**
     * Checks an order before anything is started.
     *
     * @throws dev.laneway.ConfigurationException when it asks for what there is not
     */
    void check(Order order);

    /** Measures. Returns a row for each arm of each run, in their order. */
    List<Map<String, @Nullable Object>> run(Order order) throws InterruptedException;

    /**
     * What is to be measured. Immutable.
     *
     * @param command how it was asked for, to stand beside the figures
     * @param quick the headline only, made small
     * @param scenarios names; all when empty
     * @param peers names; all when empty
     * @param runs how often each arm is run; null for the usual number
     * @param scale the share of the usual records
     * @param report where rows and reports go; null for the usual place, or nowhere when quick
     * @param text where the tables go
     * @param progress where lines of progress go
     */
    record Order(
            String command,
            boolean quick,
            List<String> scenarios,
            List<String> peers,
            @Nullable Integer runs,
            double scale,
            @Nullable Path report,
            PrintStream text,
            PrintStream progress,
            Stop stop) {}
}
