package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Work;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Consumes a loaded topic from its start with one handler time after the other, all in one process: first audited and
 * warmed up with handlers that do nothing, then measured at each time, which is that of one record in a thousand of
 * each partition. The figures {@code wait_N} and {@code compute_N} are records a second from the first record on, with
 * N microseconds; the rate is that of all laps together.
 */
final class SweepWorkload implements Workload {
    static final int EVERY = 1_000;

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            Laps laps = new Laps(spec, admin);
            String fault = laps.audit(spec.millis("measure-ms"));
            int warm = laps.warm(spec.millis("warm-ms"));
            Meter meter = new Meter();
            Sweep sweep = new Sweep(spec.millis("measure-ms"), laps, meter);
            ArmResult figures = ArmResult.failed("not measured");
            for (String micros : spec.text("waits-us").split(",", -1)) {
                figures = figures.withFigure("wait_" + micros, sweep.rate(Long.parseLong(micros), false));
            }
            for (String micros : spec.text("computes-us").split(",", -1)) {
                figures = figures.withFigure("compute_" + micros, sweep.rate(Long.parseLong(micros), true));
            }
            ArmResult result = ArmResult.of(meter, sweep.records, "laps of warm-up: " + (warm + 1) + laps.said())
                    .withFailure(fault != null ? fault : sweep.fault);
            for (var figure : figures.figures().entrySet()) {
                result = result.withFigure(figure.getKey(), figure.getValue());
            }
            return result;
        }
    }

    private static final class Sweep {
        private final Duration limit;
        private final Laps laps;
        private final Meter meter;
        private long records;
        private @Nullable String fault;

        Sweep(Duration limit, Laps laps, Meter meter) {
            this.limit = limit;
            this.laps = laps;
            this.meter = meter;
        }

        double rate(long micros, boolean computing) throws Exception {
            Work work = new Work(Duration.ofNanos(1_000 * micros), EVERY, computing, null);
            double seconds = 0;
            long done = 0;
            while (seconds < limit.toMillis() / 1e3) {
                Laps.Lap lap = laps.take(work, limit, meter);
                seconds += lap.workedNanos() / 1e9;
                done += lap.records();
                fault = fault != null ? fault : laps.fault(lap);
            }
            records += done;
            return done / seconds;
        }
    }
}
