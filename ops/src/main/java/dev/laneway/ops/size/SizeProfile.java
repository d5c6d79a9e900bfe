package dev.laneway.ops.size;

import dev.laneway.ops.plan.MeasuredInstance;
import dev.laneway.ops.plan.MeasuredWork;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What instances of one size were measured to sustain: what {@code plan} and {@code simulate} start from. Immutable.
 *
 * @param measuredAt when, as ISO 8601 writes it
 * @param command that starts an instance
 * @param topics that the load came to
 * @param partitions of these, all together
 * @param processors of the machine that all ran on
 * @param least how many instances were measured first
 * @param rate records a second that those sustained
 * @param tooMuch the lowest rate above it that they did not; null if none was tried
 * @param moreRate what one instance more made of it; 0 if that was not measured
 * @param machine the busy share of the machine's processors at {@code moreRate}; null if not known
 * @param isMachineLimited whether these processors kept {@code moreRate} from being higher
 * @param hasFallen whether rates that had been sustained no longer were
 * @param cause the verdict of {@code check} above the rate, such as EXTERNAL_CALL; empty if there was none
 * @param limiter the same in words
 * @param work what a record took; all 0 if no process could be seen
 */
public record SizeProfile(
        String measuredAt,
        List<String> command,
        List<String> topics,
        int partitions,
        int processors,
        int least,
        double rate,
        @Nullable Double tooMuch,
        double moreRate,
        @Nullable Double machine,
        boolean isMachineLimited,
        boolean hasFallen,
        String cause,
        String limiter,
        MeasuredWork work) {
    /** Nobody has more. */
    private static final int MOST_INSTANCES = 100_000;

    /** Checks what is computed with, and copies the lists. */
    public SizeProfile {
        if (!(rate > 0) || Double.isInfinite(rate)) {
            throw new IllegalArgumentException("rate is " + rate + " but must be more than 0: measure again");
        }
        if (!(moreRate >= 0) || Double.isInfinite(moreRate)) {
            throw new IllegalArgumentException("moreRate is " + moreRate + " but must be 0 or more: measure again");
        }
        if (least < 1 || partitions < least || processors < 1) {
            throw new IllegalArgumentException("least is " + least + ", partitions " + partitions + " and processors "
                    + processors + " but all must be at least 1, and partitions at least least: measure again");
        }
        command = List.copyOf(command);
        topics = List.copyOf(topics);
    }

    /** One instance more did so many times what it should have; NaN if that was not measured. */
    public double scaling() {
        return moreRate == 0 ? Double.NaN : moreRate * evenMoreRate() / (rate * evenRate());
    }

    private double evenRate() {
        return Math.ceilDiv(partitions, least) / (double) partitions;
    }

    private double evenMoreRate() {
        return Math.ceilDiv(partitions, least + 1) / (double) partitions;
    }

    /**
     * For a plan: where the machine kept a second instance from doing more, that says nothing of instances on machines
     * of their own, and only the first measurement counts.
     */
    public MeasuredInstance instance() {
        return moreRate == 0 || isMachineLimited
                ? new MeasuredInstance(rate * evenRate(), 0, limiter)
                : MeasuredInstance.fit(partitions, least, rate, moreRate, limiter);
    }

    /** The fewest instances for a rate, as if partitions were always spread evenly; 0 if no number is enough. */
    public int instancesFor(double wanted) {
        MeasuredInstance each = instance();
        if (wanted <= each.rate()) {
            return 1;
        }
        double gain = each.rate() - wanted * each.contention(); // Solves memberRate for the members.
        double members = Math.ceil(wanted * (1 - each.contention()) / gain * (1 - 1e-9));
        return gain > 0 && members <= MOST_INSTANCES ? (int) Math.max(1, members) : 0;
    }

    /**
     * How many records an instance that is simulated handles at once: so many that, with the measured time of a record,
     * it does what it was measured to do.
     */
    public int simulatedConcurrency() {
        return (int) Math.clamp(Math.rint(instance().rate() * work.serviceSeconds()), 1, 1_000_000);
    }

    /** The time of a record that fits to {@link #simulatedConcurrency}, with so many instances. */
    public double simulatedSeconds(int members) {
        return simulatedConcurrency() / instance().memberRate(members);
    }
}
