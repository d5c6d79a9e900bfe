package dev.laneway.bench.scenario;

import dev.laneway.cli.program.Stop;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
public record BenchOrder(
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
