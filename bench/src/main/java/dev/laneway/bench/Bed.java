package dev.laneway.bench;

import dev.laneway.bench.scenario.Topic;
import dev.laneway.cli.BrokerProcess;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.Loader;
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

/** The broker of a measurement, with its loaded topics. Used by one thread. */
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
     * Large records are in batches of a producer's default size. A fetch cuts off the last batch of a partition at its
     * limit, and that comes again: with batches of 256 KiB each client received 1.8 % too much.
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

    /** The name of the topic, which is created and filled at the first call. */
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

    /** The size of all partitions' logs, where records have the same form as when they are sent. */
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

    /** Deletes topics that are no longer needed. */
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
