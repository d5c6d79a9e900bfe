package dev.laneway.ops.check;

import dev.laneway.Laneway;
import dev.laneway.ops.observe.LanewaySource;
import dev.laneway.ops.observe.Source;
import dev.laneway.ops.observe.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A check from within an application: watches what it is given for a while, and judges. Immutable; thread-safe.
 *
 * <pre>{@code
 * CheckResult verdict = Check.of("orders", laneway).verdict(Duration.ofSeconds(20));
 * log.info("{} {}", verdict.sentence(), verdict.remedy());
 * }</pre>
 */
public final class Check {
    private static final int LOOKS = 20;
    private static final Duration FASTEST = Duration.ofMillis(100);
    private static final Duration SOURCE_LIMIT = Duration.ofSeconds(10);

    private final List<Source> sources;
    private final Thresholds thresholds;

    private Check(List<Source> sources, Thresholds thresholds) {
        this.sources = List.copyOf(sources);
        this.thresholds = thresholds;
    }

    /**
     * Of one Laneway of this process.
     *
     * @param name which one it is, for people
     */
    public static Check of(String name, Laneway laneway) {
        return of(LanewaySource.of(name, laneway));
    }

    /** Of one source, such as {@code ClientMetricsSource.of("orders", streams::metrics)}. It stays its owner's. */
    public static Check of(Source source) {
        return new Check(List.of(source), Thresholds.USUAL);
    }

    /** The same, with a further source. */
    public Check and(Source source) {
        List<Source> more = new ArrayList<>(sources);
        more.add(source);
        return new Check(more, thresholds);
    }

    /** The same, with other thresholds. */
    public Check with(Thresholds other) {
        return new Check(sources, other);
    }

    /**
     * Watches, and judges what was seen. Blocks for that time, and no user code waits for it.
     *
     * @param period 20 s or more tell what stands still from what is slow; a few seconds tell the rest
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    @SuppressWarnings("resource") // The sources stay their owners'.
    public CheckResult verdict(Duration period) throws InterruptedException {
        Duration pause = period.dividedBy(LOOKS).compareTo(FASTEST) > 0 ? period.dividedBy(LOOKS) : FASTEST;
        Watch watch = new Watch(sources, SOURCE_LIMIT, _ -> {});
        long start = System.nanoTime();
        watch.round();
        while (System.nanoTime() - start < period.toNanos()) {
            Thread.sleep(pause);
            watch.round();
        }
        return GroupCheck.judge(watch.observations(), thresholds);
    }
}
