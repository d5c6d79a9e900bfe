package dev.laneway.ills;

import dev.laneway.cli.program.Jvm;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A process that starts a {@link Patient} whose broker is away, says its pid, and waits to be killed. */
final class OrphanParent {
    private OrphanParent() {}

    public static void main(String[] arguments) throws InterruptedException {
        Jvm patient = Jvm.start(
                Patient.class,
                List.of("-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"),
                List.of(
                        "kind=loop",
                        "bootstrap=127.0.0.1:9",
                        "group=orphan",
                        "client=orphan",
                        "topics=work",
                        "kafka.reconnect.backoff.ms=500"),
                Path.of(arguments[0]));
        System.out.println(patient.pid());
        new CountDownLatch(1).await();
    }
}
