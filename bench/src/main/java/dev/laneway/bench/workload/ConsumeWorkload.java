package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Work;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Consumes a loaded topic from its start in {@link Laps}: first audited, then for warm-up, then measured. Short laps
 * are repeated until {@code measure-ms} have passed, and the rate is that of all of them together.
 */
final class ConsumeWorkload implements Workload {
    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            Laps laps = new Laps(spec, admin);
            String failure = laps.audit(spec.millis("measure-ms"));
            int warm = laps.warm(spec.millis("warm-ms"));
            return measure(spec, laps, failure, "laps of warm-up: " + (warm + 1));
        }
    }

    private static ArmResult measure(ArmSpec spec, Laps laps, @Nullable String failure, String notes) throws Exception {
        Meter meter = new Meter();
        Work work = Work.of(spec);
        long records = 0;
        double worked = 0;
        boolean complete = true;
        String fault = failure;
        int count = 0;
        Duration limit = spec.millis("measure-ms");
        while (count == 0 || meter.seconds() < limit.toMillis() / 1e3) {
            Laps.Lap lap = laps.take(work, limit, meter);
            records += lap.records();
            worked += lap.workedNanos() / 1e9;
            complete &= lap.complete();
            fault = fault != null ? fault : laps.fault(lap);
            count++;
        }
        String said = notes + ", " + (complete ? count + " measured" : "cut off after its time") + laps.said();
        ArmResult result = ArmResult.of(meter, records, said).withFailure(fault);
        double workedRate = worked > 0 ? records / worked : 0;
        result = result.withFigure("steady_rate", workedRate);
        long little = spec.number("little", 0);
        return little == 0 ? result : result.withFigure("share_of_little", workedRate / little);
    }
}
