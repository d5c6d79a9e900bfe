package dev.laneway.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Makes thumbnails. The order of pictures means nothing, and more processes than partitions shall help: a share group
 * hands the records of one partition to all members. A picture that cannot be read is rejected after three attempts.
 */
final class WorkQueue {
    private static final String TOPIC = "pictures";
    private static final String GROUP = "thumbnails";
    private static final int PICTURES = 60;

    /** Makes small pictures of large ones. */
    interface Studio {
        void shrink(String picture) throws Exception;
    }

    /** Notes what it has shrunk, and cannot read some. */
    static final class SmallStudio implements Studio {
        private final Map<String, Integer> calls = new ConcurrentHashMap<>();
        private final Set<String> shrunk = ConcurrentHashMap.newKeySet();

        @Override
        public void shrink(String picture) {
            calls.merge(picture, 1, Integer::sum);
            if (picture.equals("picture 13")) {
                throw new IllegalArgumentException(picture + " is no picture");
            }
            shrunk.add(picture);
        }

        Set<String> shrunk() {
            return Set.copyOf(shrunk);
        }

        int calls(String picture) {
            return calls.getOrDefault(picture, 0);
        }
    }

    private WorkQueue() {}

    static Laneway start(Map<String, Object> kafkaConfig, Studio studio) {
        FailurePolicy policy = FailurePolicy.retry(Backoff.exponential(ofMillis(20), ofSeconds(1)), 3)
                .thenSkip();
        return Laneway.shareConsumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe("pictures")
                .consumers(2)
                .onFailure(policy)
                .process(record -> studio.shrink(record.value()));
    }

    static void run(Cluster cluster, Studio studio) throws Exception {
        cluster.createTopics(TOPIC);
        Map<String, Object> kafkaConfig = new HashMap<>(cluster.consumer(GROUP));
        // Where the group starts is the group's own setting: all members share one position.
        kafkaConfig.remove("auto.offset.reset");
        startAtEarliest(kafkaConfig);
        List<ProducerRecord<String, byte[]>> pictures = new ArrayList<>();
        for (int i = 0; i < PICTURES; i++) {
            pictures.add(Cluster.text(TOPIC, "album " + i % 5, "picture " + i));
        }
        cluster.send(pictures);
        try (Laneway laneway = start(kafkaConfig, studio)) {
            Cluster.awaitProcessed(laneway, PICTURES, ofSeconds(60));
            laneway.drain(ofSeconds(10));
        }
    }

    private static void startAtEarliest(Map<String, Object> kafkaConfig)
            throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafkaConfig.get("bootstrap.servers")))) {
            ConfigEntry earliest = new ConfigEntry("share.auto.offset.reset", "earliest");
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.GROUP, GROUP),
                            List.of(new AlterConfigOp(earliest, AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    public static void main(String... args) throws Exception {
        SmallStudio studio = new SmallStudio();
        try (Cluster cluster = Cluster.from(args)) {
            run(cluster, studio);
            System.out.println(studio.shrunk().size() + " of " + PICTURES + " pictures were shrunk");
        }
    }
}
