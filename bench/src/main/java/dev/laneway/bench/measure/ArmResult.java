package dev.laneway.bench.measure;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of an arm. Immutable.
 *
 * @param failure which check failed, or what went wrong; null if nothing did
 * @param rate records a second
 * @param seconds how long was measured
 * @param cpuSeconds of the arm's process, in that time
 * @param peakRssMb the most memory that the process has had; null if the system does not tell
 * @param allocBytesPerRecord on the heap, by all threads
 * @param notes what a reader must know, and which checks were made
 * @param figures what only this workload measures
 */
public record ArmResult(
        @Nullable String failure,
        @Nullable Double rate,
        @Nullable Double seconds,
        @Nullable Double cpuSeconds,
        @Nullable Double peakRssMb,
        @Nullable Double allocBytesPerRecord,
        @Nullable Double p50Ms,
        @Nullable Double p99Ms,
        String notes,
        Map<String, Double> figures) {

    public static ArmResult failed(String reason) {
        return new ArmResult(reason, null, null, null, null, null, null, null, "", Map.of());
    }

    /** The values of a meter, with a rate. */
    public static ArmResult of(Meter meter, long records, String notes) {
        double seconds = meter.seconds();
        return new ArmResult(
                null,
                seconds == 0 ? null : records / seconds,
                seconds,
                meter.cpuSeconds(),
                Meter.peakRssMb(),
                records == 0 ? null : meter.allocatedBytes() / records,
                null,
                null,
                notes,
                Map.of());
    }

    public ArmResult withFailure(@Nullable String newFailure) {
        return new ArmResult(
                newFailure, rate, seconds, cpuSeconds, peakRssMb, allocBytesPerRecord, p50Ms, p99Ms, notes, figures);
    }

    public ArmResult withRate(double newRate) {
        return new ArmResult(
                failure, newRate, seconds, cpuSeconds, peakRssMb, allocBytesPerRecord, p50Ms, p99Ms, notes, figures);
    }

    public ArmResult noting(String more) {
        return new ArmResult(
                failure,
                rate,
                seconds,
                cpuSeconds,
                peakRssMb,
                allocBytesPerRecord,
                p50Ms,
                p99Ms,
                notes.isEmpty() ? more : notes + ", " + more,
                figures);
    }

    public ArmResult withLatency(double newP50Ms, double newP99Ms) {
        return new ArmResult(
                failure, rate, seconds, cpuSeconds, peakRssMb, allocBytesPerRecord, newP50Ms, newP99Ms, notes, figures);
    }

    public ArmResult withFigure(String name, long value) {
        return withFigure(name, (double) value);
    }

    public ArmResult withFigure(String name, double value) {
        Map<String, Double> more = new LinkedHashMap<>(figures);
        more.put(name, value);
        return new ArmResult(
                failure, rate, seconds, cpuSeconds, peakRssMb, allocBytesPerRecord, p50Ms, p99Ms, notes, more);
    }
}
