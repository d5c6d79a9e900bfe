package dev.laneway.interleave;

import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario again and again, each time in another order of its threads' steps, until one fails.
 *
 * <p>The scenario and the classes of its package are loaded a second time, rewritten so that every access to shared
 * memory and every monitor is a {@link Steps step}: one thread runs at a time, and at each step the seed decides
 * whether another one goes on. So a run repeats itself exactly for its seed, and a lost wake-up shows as a deadlock.
 * What a weak memory model may do beyond that is not looked for.
 *
 * <p>Half of the runs follow priorities that change at a few random steps (Burckhardt et al., "A Randomized Scheduler
 * with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010): a bug that needs d ordered events among n threads and k
 * steps is found by such a run with a probability of at least 1/(n * k^(d-1)). The others switch at random.
 *
 * <p>{@code -Dinterleaving=SEED} replays one run; {@code -Dinterleavings=N} makes N instead of the test's own number.
 */
public final class Interleavings {
    /** Its run makes no switch but those that it must, and so tells how many steps there are. */
    private static final long CALM_SEED = 0;

    private Interleavings() {}

    /**
     * Explores.
     *
     * @param scenario a public class with a public constructor without arguments; a new object is run each time, on a
     *     thread that may {@link Steps#spawn} others
     * @param runs how many interleavings
     */
    public static void explore(Class<? extends Runnable> scenario, int runs) {
        Class<?> rewritten = new RewritingLoader(scenario).rewritten();
        Long replay = Long.getLong("interleaving");
        Steps calm = new Steps(CALM_SEED, 1);
        check(scenario, rewritten, CALM_SEED, 1, run(calm, rewritten));
        long last = replay == null ? Integer.getInteger("interleavings", runs) : replay;
        for (long seed = replay == null ? 1 : replay; seed <= last; seed++) {
            check(scenario, rewritten, seed, calm.taken(), run(new Steps(seed, calm.taken()), rewritten));
        }
    }

    private static @Nullable Throwable run(Steps steps, Class<?> rewritten) {
        return steps.run(() -> {
            try {
                ((Runnable) rewritten.getConstructor().newInstance()).run();
            } catch (ReflectiveOperationException noScenario) {
                throw new IllegalArgumentException(rewritten + " is no scenario", noScenario);
            }
        });
    }

    private static void check(
            Class<?> scenario, Class<?> rewritten, long seed, int length, @Nullable Throwable failure) {
        if (failure == null) {
            return;
        }
        Steps traced = new Steps(seed, length).traced();
        Throwable again = run(traced, rewritten);
        String repeats =
                again != null && String.valueOf(again.getMessage()).equals(String.valueOf(failure.getMessage()))
                        ? ""
                        : "\n(it does not repeat itself: the scenario depends on something but its steps)";
        throw new AssertionError(
                scenario.getSimpleName() + " fails in interleaving " + seed + ": " + failure + repeats
                        + "\nreplay it with -Dinterleaving=" + seed + "; its last switches:\n" + traced.trace(),
                failure);
    }
}
