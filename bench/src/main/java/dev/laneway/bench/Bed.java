package dev.laneway.bench;

import dev.laneway.cli.BrokerProcess;
import dev.laneway.cli.Cluster;
import dev.laneway.cli.Loader;
import dev.laneway.cli.Stop;
import dev.laneway.cli.VerbFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.Node;

/** The broker that is measured on, and what it holds. Used by one thread. */
final class Bed implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int LARGE_RECORD = 4_096;
    private static final int DEFAULT_BATCH_BYTES = 16_384;

    private final BrokerProcess broker;
    private final Cluster cluster;
    private final Stop stop;
    private final Map<Topic, String> loaded = new HashMap<>();
    private int topics;

    private Bed(BrokerProcess broker, Cluster cluster, Stop stop) {
        this.broker = broker;
        this.cluster = cluster;
        this.stop = stop;
    }

    static Bed start(Stop stop) throws InterruptedException {
        BrokerProcess broker = BrokerProcess.start();
        try {
            return new Bed(broker, Cluster.connect(config(broker), LIMIT), stop);
        } catch (RuntimeException failed) {
            broker.close();
            throw failed;
        }
    }

    private static Map<String, Object> config(BrokerProcess broker) {
        return Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
    }

    /**
     * Large records lie in batches as a producer's defaults make them. A fetch cuts off the last batch of a partition
     * where its limit is, and what was cut off comes again: with batches of 256 KiB each client received 1.8 % more
     * than it needed.
     */
    private Map<String, Object> loading(Topic topic) {
        Map<String, Object> config = new HashMap<>(config(broker));
        if (topic.size() >= LARGE_RECORD) {
            config.put(ProducerConfig.BATCH_SIZE_CONFIG, DEFAULT_BATCH_BYTES);
        }
        return config;
    }

    String bootstrap() {
        broker.check();
        return broker.bootstrap();
    }

    /** The name of the topic, which is created and filled when it is first asked for. */
    String topic(Topic topic) {
        String known = loaded.get(topic);
        if (known != null) {
            return known;
        }
        String name = "bench-" + topic.label() + "-" + topics++;
        cluster.ensureTopic(name, topic.partitions());
        if (topic.records() > 0) {
            Loader.Plan plan = new Loader.Plan(name, topic.records(), topic.keys(), topic.skew(), topic.size(), 0);
            new Loader(loading(topic), plan, topic.dealing().keys(topic, plan.drawn())).run(stop::isRequested);
        }
        loaded.put(topic, name);
        return name;
    }

    /** Of all partitions' logs: records as they lie there, which is as they are sent. */
    long bytes(String topic) throws InterruptedException {
        try (Admin admin = Admin.create(config(broker))) {
            List<Integer> brokers =
                    admin.describeCluster().nodes().get().stream().map(Node::id).toList();
            return admin.describeLogDirs(brokers).allDescriptions().get().values().stream()
                    .flatMap(directories -> directories.values().stream())
                    .flatMap(directory -> directory.replicaInfos().entrySet().stream())
                    .filter(replica -> replica.getKey().topic().equals(topic))
                    .mapToLong(replica -> replica.getValue().size())
                    .sum();
        } catch (ExecutionException failed) {
            throw new VerbFailure("the broker does not tell how large " + topic + " is: " + failed.getCause(), failed);
        }
    }

    boolean holds(Topic topic) {
        return loaded.containsKey(topic);
    }

    /** Frees the disk of topics that nobody needs any more. */
    void forget(Set<Topic> needed) {
        List<Topic> over = loaded.keySet().stream()
                .filter(topic -> !needed.contains(topic))
                .toList();
        cluster.deleteQuietly(
                over.stream().map(topic -> loaded.getOrDefault(topic, "")).toList(), List.of());
        over.forEach(loaded::remove);
    }

    @Override
    public void close() {
        cluster.close();
        broker.close();
    }
}
