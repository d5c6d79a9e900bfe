package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Meter;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs one JMH benchmark in this JVM, which is fresh and does nothing else, as a fork of JMH would be. */
public final class MicroWorkload implements Workload {
    public static final Map<String, String> METHODS = Map.of(
            "offset-window", "dev.laneway.engine.offsets.OffsetWindowBenchmark.addAndRemove",
            "map-encode", "dev.laneway.engine.offsets.OffsetMapBenchmark.encode",
            "map-decode", "dev.laneway.engine.offsets.OffsetMapBenchmark.decode",
            "key-hash", "dev.laneway.engine.track.LaneBenchmark.hash",
            "lane-look-up", "dev.laneway.engine.track.LaneBenchmark.lookUp",
            "engine", "dev.laneway.bench.workload.EngineBenchmark.replay");
    private static final int ITERATIONS = 5;
    private static final String BYTES = "gc.alloc.rate.norm";

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        String method = METHODS.get(spec.text("benchmark"));
        if (method == null) {
            throw new IllegalArgumentException("no benchmark is called " + spec.text("benchmark"));
        }
        TimeValue iteration = TimeValue.milliseconds(spec.number("iteration-ms"));
        Options options = new OptionsBuilder()
                .include("^" + method.replace(".", "\\.") + "$")
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .warmupIterations(ITERATIONS)
                .warmupTime(iteration)
                .measurementIterations(ITERATIONS)
                .measurementTime(iteration)
                .forks(0)
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .build();
        Meter meter = new Meter();
        meter.start();
        Collection<RunResult> results = new Runner(options).run();
        meter.stop();
        RunResult result = results.iterator().next();
        double nanos = result.getPrimaryResult().getScore();
        Result<?> bytes = result.getSecondaryResults().get(BYTES);
        return new ArmResult(
                        null,
                        1e9 / nanos,
                        meter.seconds(),
                        meter.cpuSeconds(),
                        Meter.peakRssMb(),
                        bytes == null ? null : bytes.getScore(),
                        null,
                        null,
                        "JMH, average of " + ITERATIONS + " iterations after as many of warm-up, -prof gc",
                        Map.of())
                .withFigure("ns_per_op", nanos);
    }
}
