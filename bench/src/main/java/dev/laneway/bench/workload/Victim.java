package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.peer.Peer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A consumer in a process of its own, which is killed with {@code kill -9}. */
final class Victim {
    private static final String DONE = "victim-done:";
    private static final Duration LOOK = Duration.ofMillis(50);
    /** A consumer that does nothing for so long has committed what it has done. */
    private static final Duration STILL = Duration.ofSeconds(4);

    private Victim() {}

    /**
     * Runs it until it has done nothing for some time, or the limit has passed; returns how many records it had
     * handled.
     */
    static long untilKilled(ArmSpec spec, Duration limit) throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx2g",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Arm.class.getName(),
                        spec.toJson()))
                .redirectErrorStream(true)
                .start();
        AtomicLong done = new AtomicLong();
        Thread.ofPlatform().daemon().name("victim-output").start(() -> read(process, done));
        long start = System.nanoTime();
        long moved = start;
        long last = 0;
        while (process.isAlive()) {
            long now = System.nanoTime();
            long at = done.get();
            if (at != last) {
                last = at;
                moved = now;
            }
            boolean still = last > 0 && now - moved > STILL.toNanos();
            if (still || now - start > limit.toNanos()) {
                break;
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
        process.destroyForcibly().waitFor();
        return done.get();
    }

    private static void read(Process process, AtomicLong done) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(DONE)) {
                    done.set(Long.parseLong(line.substring(DONE.length())));
                }
            }
        } catch (IOException ended) {
            // With the process.
        }
    }

    /** What the process does beside its consumer: prints its progress until it is killed. */
    static ArmResult live(Peer.Running running, Probe probe) throws Exception {
        while (true) {
            running.check();
            System.out.println(DONE + probe.done());
            System.out.flush();
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }
}
