package dev.laneway.ops.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The rate of a planned group against one of its numbers, the others staying as planned. Immutable.
 *
 * @param name of the number: concurrency, keys or partitions
 * @param points with rising numbers
 */
public record Curve(String name, List<Point> points) {
    private static final int STEPS_OF_TEN = 10;
    private static final double LEAST_RATE = 1e-3;

    /** A number, and the rate with it. */
    public record Point(double number, double rate) {}

    /** Copies the list. */
    public Curve {
        points = List.copyOf(points);
    }

    /** Against the concurrency of a member, the keys if they are known, and the partitions. */
    public static List<Curve> of(Plan plan) {
        PlanRequest request = plan.request();
        ModePlan chosen = plan.chosen();
        int members = chosen.members();
        List<Curve> curves = new ArrayList<>();
        if (request.mode() != Mode.PLAIN) {
            curves.add(curve("concurrency", request.instance().concurrency(), number -> {
                Instance other =
                        request.instance().with(number, request.instance().reserve());
                return Capacity.of(request.with(other), chosen.partitions(), members);
            }));
        }
        if (request.mode() == Mode.KEY && request.load().keys() > 0) {
            curves.add(curve("keys", (int) Math.min(request.load().keys(), 10_000_000), number -> {
                Load load = request.load();
                Load other = new Load(
                        load.rate(),
                        load.serviceSeconds(),
                        number,
                        load.hottestShare(),
                        load.recordBytes(),
                        load.diskBytes(),
                        load.networkBytes(),
                        load.cpuSeconds());
                return Capacity.of(request.with(other), chosen.partitions(), members);
            }));
        }
        curves.add(curve(
                "partitions", chosen.partitions(), number -> Capacity.of(request, number, Math.min(number, members))));
        return curves;
    }

    /** From 1 to ten times the planned number, evenly on a logarithmic axis. */
    private static Curve curve(String name, int planned, IntFunction<Capacity> capacity) {
        List<Point> points = new ArrayList<>();
        double most = Math.log10(planned) + 1;
        int last = 0;
        for (int step = 0; step <= Math.ceil(most * STEPS_OF_TEN); step++) {
            int number = (int) Math.min(10_000_000, Math.rint(Math.pow(10, step / (double) STEPS_OF_TEN)));
            if (number > last) {
                points.add(new Point(
                        number, Math.max(LEAST_RATE, capacity.apply(number).rate())));
                last = number;
            }
        }
        return new Curve(name, points);
    }
}
