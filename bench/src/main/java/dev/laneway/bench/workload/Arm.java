package dev.laneway.bench.workload;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The entry of an arm's JVM. It gets its {@link ArmSpec} as one argument, and its last line of output is a mark and the
 * {@link ArmResult}. It ends when the process that started it has ended.
 */
final class Arm {
    /** The beginning of the line with the result. */
    static final String MARK = "arm-result:";

    private Arm() {}

    /** Runs the arm. */
    public static void main(String[] args) throws IOException {
        Thread.ofPlatform().name("arm-parent").daemon().start(Arm::endWithParent);
        ArmSpec spec = ArmSpec.of(args[0]);
        ArmResult result;
        try {
            result = Workloads.of(spec.workload()).run(spec);
        } catch (Throwable failed) {
            failed.printStackTrace();
            result = ArmResult.failed(reason(failed));
        }
        System.out.println();
        System.out.println(MARK + new ObjectMapper().writeValueAsString(result));
        System.out.flush();
        // Some libraries leave non-daemon threads behind.
        Runtime.getRuntime().halt(0);
    }

    private static String reason(Throwable failed) {
        StringBuilder reason = new StringBuilder();
        for (@Nullable Throwable cause = failed; cause != null; cause = cause.getCause()) {
            reason.append(reason.isEmpty() ? "" : ": ").append(cause);
        }
        return reason.toString();
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // Only the end of the stream is expected.
            }
        } catch (IOException gone) {
            // A broken pipe means the end, too.
        }
        Runtime.getRuntime().halt(1);
    }
}
