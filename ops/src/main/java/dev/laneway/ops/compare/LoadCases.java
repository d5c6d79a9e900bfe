package dev.laneway.ops.compare;

import dev.laneway.ops.plan.Mode;
import dev.laneway.ops.simulate.Disturbance;
import dev.laneway.ops.simulate.Group;
import dev.laneway.ops.simulate.Keys;
import dev.laneway.ops.simulate.Rescaling;
import dev.laneway.ops.simulate.Scenario;
import dev.laneway.ops.simulate.ServiceTime;
import dev.laneway.ops.simulate.Span;
import dev.laneway.ops.simulate.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The loads of a comparison, each with and without state. Their heights and times are drawn from a seed: policies are
 * constants, and see none of that.
 */
public final class LoadCases {
    /** How old a record may be when it is done, in seconds: each policy that takes a goal is given this one. */
    public static final double GOAL_SECONDS = 30;

    static final int PARTITIONS = 32;
    /** The most members that any policy may have: one for each partition. */
    static final int MOST_MEMBERS = PARTITIONS;

    /** Records are few, so that a day takes seconds: what counts is records against members. */
    private static final double SERVICE_SECONDS = 0.25;

    private static final double TICK_SECONDS = 5;
    private static final double HOUR = 3_600;
    private static final double STATE_SECONDS = 10;
    private static final double RESTORE_RATE = 50e6;
    private static final int RESERVE = 50;

    private LoadCases() {}

    /** The names of the loads, in the order of {@link #of}. */
    public static List<String> names() {
        return List.of("step", "ramp", "cosine", "spikes", "daily", "skew shift", "slow service");
    }

    /** All loads of a seed: seven without state, then the same with it. */
    public static List<LoadCase> of(long seed) {
        List<LoadCase> cases = new ArrayList<>();
        for (boolean isStateful : new boolean[] {false, true}) {
            for (String name : names()) {
                cases.add(of(name, isStateful, seed));
            }
        }
        return cases;
    }

    /**
     * One load of a seed.
     *
     * @throws IllegalArgumentException if there is no load of that name
     */
    public static LoadCase of(String name, boolean isStateful, long seed) {
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + name.hashCode());
        return switch (name) {
            case "step" -> {
                Traffic up = Traffic.step(about(random, 18), about(random, 60), about(random, 1.2 * HOUR));
                double end = about(random, 3.5 * HOUR);
                double low = up.rate(0);
                yield load(name, isStateful, seed, 6, seconds -> seconds < end ? up.rate(seconds) : low);
            }
            case "ramp" -> {
                double low = about(random, 15);
                double high = about(random, 68);
                Traffic up = Traffic.ramp(low, high, about(random, HOUR), about(random, 2.5 * HOUR));
                Traffic down = Traffic.ramp(0, high - low, about(random, 3.2 * HOUR), about(random, 4.5 * HOUR));
                yield load(name, isStateful, seed, 6, seconds -> up.rate(seconds) - down.rate(seconds));
            }
            case "cosine" ->
                load(
                        name,
                        isStateful,
                        seed,
                        8,
                        Traffic.cosine(about(random, 14), about(random, 66), about(random, 4 * HOUR)));
            case "spikes" ->
                load(
                        name,
                        isStateful,
                        seed,
                        6,
                        Traffic.spikes(about(random, 20), about(random, 62), about(random, HOUR), about(random, 300)));
            case "daily" -> load(name, isStateful, seed, 24, Traffic.daily(about(random, 10), about(random, 52), seed));
            case "skew shift" -> {
                Keys keys = new Keys(PARTITIONS * 20, about(random, 0.55), 0, about(random, 2.5 * HOUR));
                yield with(name, isStateful, seed, 6, Traffic.constant(about(random, 34)), keys, 0, List.of());
            }
            case "slow service" -> {
                Disturbance slow = new Disturbance.Slowdown(about(random, 2 * HOUR), about(random, 1_800), 5);
                yield with(
                        name,
                        isStateful,
                        seed,
                        6,
                        Traffic.constant(about(random, 34)),
                        Keys.alike(PARTITIONS),
                        20,
                        List.of(slow));
            }
            default ->
                throw new IllegalArgumentException(
                        "load is " + name + " but must be one of " + names() + ": give one of these");
        };
    }

    /** Up to a sixth more or less. */
    private static double about(SplittableRandom random, double value) {
        return value * (1 + (random.nextDouble() - 0.5) / 3);
    }

    private static LoadCase load(String name, boolean isStateful, long seed, double hours, Traffic traffic) {
        return with(name, isStateful, seed, hours, traffic, Keys.alike(PARTITIONS), 0, List.of());
    }

    private static LoadCase with(
            String name,
            boolean isStateful,
            long seed,
            double hours,
            Traffic traffic,
            Keys keys,
            int downstream,
            List<Disturbance> disturbances) {
        double work = traffic.rate(0) * SERVICE_SECONDS;
        int members = (int) Math.ceil(work / 0.6);
        double restore = isStateful ? STATE_SECONDS : 0;
        Scenario scenario = new Scenario(
                new Group(Mode.PLAIN, PARTITIONS, members, 1, RESERVE, false),
                traffic,
                0,
                keys,
                new ServiceTime.LogNormal(SERVICE_SECONDS, 0.5),
                downstream,
                disturbances,
                new Rescaling(30, 3, false, Math.max(0, restore * PARTITIONS * RESTORE_RATE), RESTORE_RATE),
                new Span(hours * HOUR, 0, TICK_SECONDS, GOAL_SECONDS, seed));
        return new LoadCase(name, isStateful, scenario, SERVICE_SECONDS, restore);
    }
}
