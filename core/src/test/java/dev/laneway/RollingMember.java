package dev.laneway;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * A process that notes each record when it has handled it, and of which one key is stuck as long as a file is there.
 * Uses only what version 0.1 has, whose classes it runs on, too.
 */
final class RollingMember {
    static final String STUCK_KEY = "key-7";

    private RollingMember() {}

    /** Arguments: brokers, group, topic, the file of notes, the file that makes the key stuck, most records held. */
    public static void main(String... args) throws Exception {
        Path notes = Path.of(args[3]);
        Path stuck = Path.of(args[4]);
        CountDownLatch never = new CountDownLatch(1);
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                args[0],
                "group.id",
                args[1],
                "auto.offset.reset",
                "earliest",
                "partition.assignment.strategy",
                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
        Laneway laneway = Laneway.consumer(config)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(args[2])
                .ordering(Ordering.KEY)
                .bufferRecords(Integer.parseInt(args[5]))
                .drainLimit(Duration.ofSeconds(2))
                .closeLimit(Duration.ofSeconds(2))
                .process(record -> {
                    while (record.key().equals(STUCK_KEY) && Files.exists(stuck)) {
                        never.await(20, TimeUnit.MILLISECONDS);
                    }
                    Files.write(
                            notes,
                            (record.partition() + "@" + record.offset() + "\n").getBytes(StandardCharsets.UTF_8),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.APPEND);
                });
        never.await(); // The signal that ends the process closes it.
        laneway.close();
    }
}
