package dev.laneway.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;
import org.openjdk.jcstress.infra.grading.ReportUtils;

/**
 * {@code ./laneway prove --memory}: runs jcstress on the classes that threads share without a lock. Ends 0 when nothing
 * was found, 1 when an outcome was seen that must not be or a test did not run, 2 when it was called wrongly.
 *
 * <p>jcstress runs each test in JVMs of its own, and writes what it saw into the working directory. It passes over a
 * test that does not fit the engine's classes any more; here that is a failure.
 */
public final class MemoryModel {
    /** The optimising compiler alone, which may then move what it likes: it finds most in a short time. */
    private static final List<String> SHORT = List.of(
            "-sc",
            "false",
            "-af",
            "NONE",
            "-pth",
            "false",
            "-f",
            "1",
            "-time",
            "400",
            "-jvmArgs",
            "-XX:-TieredCompilation -XX:+StressLCM -XX:+StressGCM");

    /** Each thread's code interpreted, compiled quickly and compiled well, on processors that jcstress chooses. */
    private static final List<String> LONG = List.of("-m", "quick", "-fsm", "2", "-time", "500");

    private MemoryModel() {}

    @SuppressWarnings("SystemExit") // A program of its own, whose exit code is its answer.
    public static void main(String[] arguments) throws Exception {
        System.exit(run(List.of(arguments)));
    }

    private static int run(List<String> arguments) throws Exception {
        boolean isShort = false;
        String only = "";
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (argument.equals("--short")) {
                isShort = true;
            } else if (argument.equals("--only") && i + 1 < arguments.size()) {
                only = arguments.get(++i);
            } else if (!argument.equals("--memory")) {
                return usage("--memory goes with --short and --only NAME, but got '" + argument + "'");
            }
        }
        List<String> settings = new ArrayList<>(isShort ? SHORT : LONG);
        // In a build each test has one turn; who looks for the bug in a mutant takes more time.
        settings.addAll(List.of("-iters", only.isEmpty() && isShort ? "1" : "3"));
        settings.addAll(List.of("-r", "report", "-t", "\\.\\Q" + only + "\\E" + (only.isEmpty() ? "" : "(\\.|$)")));
        Options options = new Options(settings.toArray(String[]::new));
        if (!options.parse()) {
            return 1;
        }
        JCStress stress = new JCStress(options);
        Set<String> chosen = stress.getTests();
        if (chosen.isEmpty()) {
            return usage("--only is '" + only + "' but must be a class of tests, or one of its tests, such as "
                    + "GuardStress or GuardStress.Entered");
        }
        try {
            stress.run();
        } catch (AssertionError found) {
            // Told below, with what jcstress does not mind.
        }
        return tell(chosen, results(options.getResultFile())) ? 0 : 1;
    }

    private static int usage(String wrong) {
        System.err.println("laneway: " + wrong + "; ./laneway prove --help tells more");
        return 2;
    }

    private static List<TestResult> results(String file) throws IOException, ClassNotFoundException {
        InProcessCollector all = new InProcessCollector();
        DiskReadCollector reader = new DiskReadCollector(file, all);
        reader.dump();
        reader.close();
        return ReportUtils.mergedByName(all.getTestResults());
    }

    /** Prints a line for each test; returns whether each has run and seen only what may be. */
    private static boolean tell(Set<String> chosen, List<TestResult> results) {
        boolean fine = true;
        for (String name : chosen) {
            TestResult result = results.stream()
                    .filter(one -> one.getName().equals(name))
                    .findFirst()
                    .orElse(null);
            String wrong = result == null ? "it did not run" : wrong(result);
            fine &= wrong.isEmpty();
            System.out.printf(
                    Locale.ROOT,
                    "%-40s %,13d times: %s%n",
                    name.replaceFirst(".*[.](?=\\w+[.]\\w+$)", ""),
                    result == null ? 0 : result.getTotalCount(),
                    wrong.isEmpty() ? "as it must be" : wrong);
        }
        System.out.println(fine ? "nothing was found" : "something was found, see above");
        return fine;
    }

    /** Empty when only what may be was seen. */
    private static String wrong(TestResult result) {
        if (result.status() == Status.TEST_ERROR || result.status() == Status.CHECK_TEST_ERROR) {
            return "it failed: " + reason(result);
        }
        if (result.status() != Status.NORMAL || result.getTotalCount() == 0) {
            return "it could not run: " + result.status() + " " + reason(result);
        }
        return result.grading().gradingResults.values().stream()
                .filter(seen -> seen.expect != Expect.ACCEPTABLE
                        && seen.expect != Expect.ACCEPTABLE_INTERESTING
                        && seen.count > 0)
                .map(MemoryModel::words)
                .collect(Collectors.joining("; "));
    }

    private static String reason(TestResult result) {
        return result.getMessages().stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse("");
    }

    private static String words(GradingResult seen) {
        return String.format(Locale.ROOT, "FORBIDDEN %s, %,d times: %s", seen.id, seen.count, seen.description);
    }
}
