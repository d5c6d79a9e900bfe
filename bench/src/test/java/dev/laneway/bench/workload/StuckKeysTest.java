package dev.laneway.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.bench.measure.Probe;
import dev.laneway.cli.workload.Payload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the workloads with stuck keys count and keep. */
class StuckKeysTest {
    private static ConsumerRecord<byte[], byte[]> record(int key) {
        return new ConsumerRecord<>("t", 0, 0, Payload.keyBytes(key), new Payload(0, key, 0).valueBytes(100));
    }

    @Test
    @DisplayName("The handler of a stuck key returns when its key is released, not another one, and others at once")
    void hangsUntilReleased() throws Exception {
        HangingKeys keys = new HangingKeys(2, Duration.ZERO, Duration.ZERO);
        Probe probe = new Probe(keys.work(), null);
        probe.handle(record(2));
        CompletableFuture<Void> stuck = CompletableFuture.runAsync(() -> probe.handleUninterrupted(record(1)));
        keys.release(0);
        probe.handle(record(0));
        assertThat(stuck).isNotDone();
        assertThat(probe.done()).isEqualTo(2);
        assertThat(keys.done()).isEqualTo(1);
        keys.releaseAll();
        stuck.get(1, TimeUnit.MINUTES);
        assertThat(keys.done()).isEqualTo(2);
    }

    @Test
    @DisplayName("What a process has handled is known to the next one")
    void outlivesTheProcess(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("handled");
        new HandledRecords(file, 3).done(1);
        HandledRecords again = new HandledRecords(file, 3);
        assertThat(again.isDone(1)).isTrue();
        assertThat(again.isDone(2)).isFalse();
        assertThat(again.count()).isEqualTo(1);
    }
}
