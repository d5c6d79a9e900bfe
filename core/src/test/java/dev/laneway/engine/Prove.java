package dev.laneway.engine;

import dev.laneway.engine.sim.SimTheme;
import dev.laneway.engine.sim.SimWorld;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./laneway prove}: runs the simulation over many seeds, on all processors. Ends 0 when nothing was found, 1
 * when a seed failed, 2 when it was called wrongly.
 */
public final class Prove {
    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long SEEDS_OF_A_MUTANT = 2_000;

    private final long first;
    private final long count;
    private final @Nullable SimTheme theme;
    private final PrintStream out;
    private final AtomicLong next;
    private final AtomicLong done = new AtomicLong();
    private final ConcurrentSkipListMap<Long, String> failures = new ConcurrentSkipListMap<>();
    private final long began = System.nanoTime();

    /**
     * @param theme the only theme to run; null for all
     * @param out for people
     */
    Prove(long first, long count, @Nullable SimTheme theme, PrintStream out) {
        this.first = first;
        this.count = count;
        this.theme = theme;
        this.out = out;
        this.next = new AtomicLong(first);
    }

    @SuppressWarnings("SystemExit") // A program of its own, whose exit code is its answer.
    public static void main(String[] arguments) throws Exception {
        System.exit(run(List.of(arguments)));
    }

    static int run(List<String> arguments) throws Exception {
        if (arguments.contains("--help") || arguments.contains("-h")) {
            System.out.print(help());
            return 0;
        }
        boolean mutants = arguments.contains("--mutants");
        List<String> rest = arguments.stream()
                .filter(argument -> !argument.equals("--mutants"))
                .toList();
        long first = 1;
        long count = mutants ? SEEDS_OF_A_MUTANT : 1_000;
        int threads = Runtime.getRuntime().availableProcessors();
        SimTheme theme = null;
        String json = null;
        String only = "";
        if (rest.size() % 2 != 0) {
            return usage("each option but --mutants and --help has a value");
        }
        for (int i = 0; i < rest.size(); i += 2) {
            String value = rest.get(i + 1);
            try {
                switch (rest.get(i)) {
                    case "--seeds" -> count = Long.parseLong(value);
                    case "--from" -> first = Long.parseLong(value);
                    case "--threads" -> threads = Integer.parseInt(value);
                    case "--theme" -> theme = SimTheme.valueOf(value.toUpperCase(Locale.ROOT));
                    case "--json" -> json = value;
                    case "--only" -> only = value;
                    default -> {
                        return usage("there is no option " + rest.get(i));
                    }
                }
            } catch (IllegalArgumentException wrong) {
                return usage(rest.get(i) + " is '" + value + "' but must be "
                        + (rest.get(i).equals("--theme") ? "one of " + themes() : "a whole number"));
            }
        }
        if (count < 1 || threads < 1) {
            return usage("--seeds and --threads must be 1 or more");
        }
        if (json != null && !json.equals("-") && !canWrite(Path.of(json).toAbsolutePath())) {
            return usage("--json is '" + json + "' but must be a file that can be written, in a directory that exists");
        }
        if (mutants ? theme != null || json != null || first != 1 : !only.isEmpty()) {
            return usage(mutants ? "--mutants goes with --only, --seeds and --threads" : "--only goes with --mutants");
        }
        if (mutants) {
            return mutants(new Mutants(root(), count, threads), only);
        }
        Prove prove = new Prove(first, count, theme, "-".equals(json) ? System.err : System.out);
        prove.run(threads);
        prove.tell();
        if (json != null) {
            prove.write(json);
        }
        return prove.failures.isEmpty() ? 0 : 1;
    }

    private static int mutants(Mutants mutants, String only) throws IOException, InterruptedException {
        List<Mutant> chosen;
        try {
            chosen = mutants.named(only);
        } catch (IllegalStateException wrong) {
            System.err.println("laneway: " + wrong.getMessage());
            return 1;
        }
        if (chosen.isEmpty()) {
            return usage(
                    "--only is '" + only + "' but must be the name or the number of a patch in core/src/test/mutants");
        }
        return mutants.run(chosen) ? 0 : 1;
    }

    static String themes() {
        return Stream.of(SimTheme.values()).map(SimTheme::name).collect(Collectors.joining(", "));
    }

    /** Found out now rather than after the work whose result it is to hold. */
    private static boolean canWrite(Path file) {
        return !Files.isDirectory(file) && Files.isWritable(Files.exists(file) ? file : file.getParent());
    }

    /** The text that the launcher shows, too, without starting a JVM. */
    static String help() throws IOException {
        return Files.readString(root().resolve("docs/help/prove.txt"));
    }

    private static Path root() {
        return Path.of(System.getProperty("laneway.root", "")).toAbsolutePath();
    }

    private static int usage(String wrong) {
        System.err.println("laneway: " + wrong + "; ./laneway prove --help tells more");
        return 2;
    }

    private void run(int threads) throws InterruptedException {
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            running.add(Thread.ofPlatform().name("prove-" + i).start(this::work));
        }
        for (Thread thread : running) {
            while (!thread.join(Duration.ofNanos(REPORT_NANOS))) {
                progress();
            }
        }
    }

    private void work() {
        long seed = next.getAndIncrement();
        while (seed - first < count && failures.isEmpty()) {
            if (theme == null || SimTheme.of(seed) == theme) {
                String failure = failure(seed);
                if (failure != null) {
                    failures.put(seed, failure);
                }
            }
            done.incrementAndGet();
            seed = next.getAndIncrement();
        }
    }

    /** How a seed failed; null when it did not. */
    static @Nullable String failure(long seed) {
        try {
            SimWorld.run(seed);
            return null;
        } catch (Throwable found) {
            return found + "\n" + String.valueOf(found.getCause() == null ? "" : trace(found.getCause()));
        }
    }

    private static String trace(Throwable failure) {
        StringBuilder text = new StringBuilder("caused by " + failure.getClass().getName());
        for (StackTraceElement frame : failure.getStackTrace()) {
            text.append("\n    at ").append(frame);
        }
        return failure.getCause() == null
                ? text.toString()
                : text.append('\n').append(trace(failure.getCause())).toString();
    }

    /** What runs one seed again. */
    public static String command(long seed) {
        return "./laneway prove --seeds 1 --from " + seed;
    }

    private void progress() {
        long ran = done.get();
        double rate = rate();
        out.printf(
                Locale.ROOT,
                "%,d of %,d seeds, %.0f a second, %s left%n",
                ran,
                count,
                rate,
                rate == 0 ? "unknown time" : time((long) ((count - ran) / rate)));
    }

    private static String time(long seconds) {
        return seconds < 60 ? seconds + " s" : seconds / 60 + " min " + seconds % 60 + " s";
    }

    private double rate() {
        return done.get() / seconds();
    }

    private double seconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    private void tell() {
        failures.forEach((seed, failure) -> out.println("seed " + seed + " (" + SimTheme.of(seed) + ") failed: "
                + failure + "\nrun it again: " + command(seed)));
        out.printf(
                Locale.ROOT,
                "%,d seeds from %d to %d in %.0f s, %.0f a second: %s%n",
                done.get(),
                first,
                first + done.get() - 1,
                seconds(),
                rate(),
                failures.isEmpty() ? "nothing was found" : failures.size() + " failed, " + failures.keySet());
    }

    private void write(String file) throws IOException {
        String text = String.format(
                Locale.ROOT,
                "{\"first\": %d, \"seeds\": %d, \"seconds\": %.1f, \"perSecond\": %.1f, \"failed\": %s}%n",
                first,
                done.get(),
                seconds(),
                rate(),
                failures.keySet());
        if (file.equals("-")) {
            System.out.print(text);
        } else {
            Files.writeString(Path.of(file), text);
        }
    }
}
