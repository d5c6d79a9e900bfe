package dev.laneway.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A real Kafka cluster inside this JVM, for tests: one to three KRaft brokers of the Kafka release on the class path,
 * and a controller, with all group protocols, transactions, retention, compaction and replication.
 *
 * <pre>{@code
 * try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
 *     kafka.createTopic("orders", 4);
 *     kafka.produce("orders", "customer-7", "two bicycles");
 *     runTheApplication(kafka.bootstrapServers());
 *     assertThat(kafka.committed("shop")).isNotEmpty();
 * }
 * }</pre>
 *
 * <p>It works with any test framework. Tests that need a plain broker use {@link #shared()}; those that stop, kill or
 * configure brokers start their own cluster.
 *
 * <p>Defaults that differ from Kafka's: topics are not created automatically; the first rebalance is not delayed;
 * sessions may be as short as 100 ms (classic) or 1 s (consumer, share), locks of share groups 1 s; heartbeats of
 * consumer and share groups come every 500 ms; a dead broker is noticed after 3 s; records are kept unless their topic
 * sets {@code retention.ms}; retention is checked every second, compaction every half second; internal topics have 4
 * partitions. Topics have a replica on each node, and on three nodes two in-sync replicas are required.
 * {@link EmbeddedKafkaBuilder#property} changes any of it.
 *
 * <p>Nothing is written to the standard streams. The brokers log through SLF4J. The loggers {@code kafka} and
 * {@code org.apache.kafka} write much below WARN, and errors when a broker is killed; {@code com.yammer.metrics} warns
 * if brokers of one JVM register the same metric at once. The JVM warns once of Kafka's use of {@code sun.misc.Unsafe},
 * unless it is started with {@code --sun-misc-unsafe-memory-access=allow}. A broker that loses its data directory while
 * it runs ends the JVM, as Kafka's log manager does.
 *
 * <p>Thread-safe. Calls that talk to a broker wait at most 30 s, then throw IllegalStateException; a refusal by the
 * broker is thrown as the Kafka exception that the client got.
 */
public final class EmbeddedKafka implements KafkaCluster, AutoCloseable {

    private static final Duration READY_LIMIT = Duration.ofSeconds(60);

    private final ServerFaults faults = new ServerFaults();
    private final ClosingSteps closing;
    private final Storage storage;
    private final List<BrokerNode> brokers;
    private final ClusterView view;
    private final Clients clients;
    private final ClusterSecurity security;
    private final Map<String, Network> networks;

    private volatile boolean outlivesClose;

    /** Holds the cluster of {@link #shared()}, started when the class is first used. */
    private static final class Shared {
        static final EmbeddedKafka CLUSTER = start();

        static {
            CLUSTER.outlivesClose = true;
            Runtime.getRuntime().addShutdownHook(new Thread(CLUSTER.closing::run, "laneway-kafka-close"));
        }
    }

    /** Each step of the start adds the step that undoes it. */
    private EmbeddedKafka(EmbeddedKafkaBuilder.Options options, ClosingSteps closing) {
        this.closing = closing;
        this.storage = Storage.open(options.directory(), options.nodes());
        closing.add(storage::close);
        Port controllerPort = Port.free();
        closing.add(controllerPort::close);
        Certificates certificates = certificates(options.security());
        ServerProperties properties = new ServerProperties(options, controllerPort, certificates);
        Map<String, List<TcpProxy>> proxies = new HashMap<>();
        this.brokers = brokers(options, properties, proxies);
        this.networks = networks(proxies);
        ControllerNode controller = ControllerNode.start(
                properties.controller(controllerPort, storage.controller()), controllerPort, faults);
        closing.add(controller::stop);
        this.view = new ClusterView(controller, brokers);
        closing.add(() -> onEach(storage.isTemporary() ? BrokerNode::close : BrokerNode::stopIfRunning));
        onEach(BrokerNode::start);
        String own = addresses(options.security().isOn() ? Listeners.INTERNAL : Listeners.CLIENT);
        this.clients = new Clients(own, options.clientProperties());
        closing.add(clients::close);
        this.security = new ClusterSecurity(options.security(), certificates, brokers, clients::admin);
        awaitReady(READY_LIMIT);
        security.addUsers();
    }

    private @Nullable Certificates certificates(Security security) {
        if (security.tls() == null) {
            return null;
        }
        Certificates certificates = Certificates.make(
                security.tls() == Tls.MUTUAL ? security.users().keySet() : List.of());
        closing.add(certificates::close);
        return certificates;
    }

    private List<BrokerNode> brokers(
            EmbeddedKafkaBuilder.Options options, ServerProperties properties, Map<String, List<TcpProxy>> proxies) {
        List<BrokerNode> nodes = new ArrayList<>();
        for (int id = 1; id <= options.nodes(); id++) {
            Listeners listeners = new Listeners();
            closing.add(listeners::close);
            listeners.add(Listeners.CLIENT, options.port() == 0 ? Port.free() : Port.chosen(options.port() + id - 1));
            if (options.security().isOn()) {
                listeners.add(Listeners.INTERNAL, Port.free());
            }
            for (String network : options.networks()) {
                proxies.computeIfAbsent(network, _ -> new ArrayList<>())
                        .add(listeners.addProxied(Listeners.ofNetwork(network)));
            }
            Path directory = storage.node(id);
            nodes.add(new BrokerNode(id, listeners, directory, properties.broker(id, listeners, directory), faults));
        }
        return List.copyOf(nodes);
    }

    private static Map<String, Network> networks(Map<String, List<TcpProxy>> proxies) {
        return proxies.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> new Network(entry.getValue())));
    }

    private String addresses(String listener) {
        return brokers.stream().map(broker -> broker.address(listener)).collect(Collectors.joining(","));
    }

    /** Starts a cluster of one broker with a free port and a temporary directory, and waits until it is ready. */
    public static EmbeddedKafka start() {
        return builder().start();
    }

    static EmbeddedKafka start(EmbeddedKafkaBuilder.Options options) {
        KafkaJars.found().check();
        ClosingSteps closing = new ClosingSteps();
        try {
            return new EmbeddedKafka(options, closing);
        } catch (RuntimeException | Error e) { // Errors too: a JVM that is ending refuses what Kafka needs.
            try {
                closing.run();
            } catch (RuntimeException closeFailure) {
                e.addSuppressed(closeFailure);
            }
            throw e;
        }
    }

    /** Options for a cluster with other than the default options. */
    public static EmbeddedKafkaBuilder builder() {
        return new EmbeddedKafkaBuilder();
    }

    /**
     * The plain one-broker cluster of this JVM: started by the first call, ended with the JVM. {@link #close()} does
     * nothing to it. Tests that share it use topics and groups of their own, and neither stop nor kill its broker.
     */
    public static EmbeddedKafka shared() {
        return Shared.CLUSTER;
    }

    /**
     * Addresses of all brokers, running or not, for {@code bootstrap.servers}. They stay the same for the life of the
     * cluster.
     */
    @Override
    public String bootstrapServers() {
        return addresses(Listeners.CLIENT);
    }

    /** Certificates, logins and rights of a cluster that was built with {@code tls}, {@code sasl} or {@code acls}. */
    public ClusterSecurity security() {
        return security;
    }

    /**
     * A network to the brokers that can be disturbed.
     *
     * @throws IllegalArgumentException if the builder has no such network
     */
    public Network network(String name) {
        @Nullable Network network = networks.get(name);
        if (network == null) {
            throw new IllegalArgumentException(
                    "network " + name + " is unknown; give it to the builder with network(" + name + ")");
        }
        return network;
    }

    /** Id of the cluster; one that is started again from its directory keeps it. */
    public String clusterId() {
        return storage.clusterId();
    }

    /** Directory of the data. It is gone after {@link #close()} unless the builder chose it. */
    public Path directory() {
        return storage.root();
    }

    /** Number of brokers, running or not. Their ids are 1 to this number. */
    public int nodes() {
        return brokers.size();
    }

    @Override
    public void createTopic(String topic, int partitions) {
        createTopic(topic, partitions, brokers.size(), Map.of());
    }

    @Override
    public void createTopic(String topic, int partitions, int replication, Map<String, String> config) {
        NewTopic request = new NewTopic(topic, partitions, (short) replication).configs(config);
        Await.until("creating topic " + topic, Await.CALL_LIMIT, () -> clients.create(request, this::running));
        Await.until("creating topic " + topic, Await.CALL_LIMIT, () -> view.missing(topic, partitions));
        // A broker knows that it leads a partition before it has opened the log. If it then refuses a producer's first
        // batch and takes the second, the first stays out of sequence for ever. Only the leader answers this request.
        var _ = clients.endOffsets(topic, partitions);
    }

    private int running() {
        return (int) brokers.stream().filter(BrokerNode::isRunning).count();
    }

    @Override
    public Admin admin() {
        return clients.admin();
    }

    @Override
    public Consumer<byte[], byte[]> consumer(Map<String, ?> overrides) {
        return clients.consumer(overrides);
    }

    @Override
    public Producer<byte[], byte[]> producer(Map<String, ?> overrides) {
        return clients.producer(overrides);
    }

    @Override
    public List<RecordMetadata> produce(Iterable<ProducerRecord<byte[], byte[]>> records) {
        return clients.produce(records);
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(String topic) {
        int partitions = view.partitions(topic).orElseThrow(() -> Clients.unknown(topic));
        return clients.endOffsets(topic, partitions);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(String group) {
        return clients.committed(group);
    }

    /** The node that leads a partition, or empty when none does or there is no such partition. */
    public OptionalInt leader(String topic, int partition) {
        return view.leader(topic, partition);
    }

    /** The node that coordinates a group; empty before the cluster's first group, and while there is no coordinator. */
    public OptionalInt coordinator(String group) {
        return view.coordinator(group);
    }

    /** Whether a node is running. */
    public boolean isRunning(int node) {
        return broker(node).isRunning();
    }

    /**
     * Starts a node that was stopped or killed, on its old port and directory, and returns when it serves again: at the
     * earliest when its previous session has ended, 3 s after it. Its replicas may still be catching up: see
     * {@link #awaitReady}.
     *
     * @throws IllegalStateException when it is running
     */
    public void start(int node) {
        broker(node).start();
    }

    /**
     * Stops a node as SIGTERM does: it hands its leadership over, closes its logs and leaves.
     *
     * @throws IllegalStateException when it is not running
     */
    public void stop(int node) {
        broker(node).stop();
    }

    /**
     * Ends a node as {@code kill -9} would, as far as possible inside a JVM, and returns when it has ended.
     *
     * <p>As in a crash, all connections are cut at once, requests in flight are never answered, leadership is not
     * handed over, and the controller learns of it only when the broker's session ends (3 s,
     * {@code broker.session.timeout.ms}). The next start finds no clean shutdown marker and the old checkpoints, so it
     * recovers the logs.
     *
     * <p>Unlike in a crash, a request that was being handled may still reach the log without an answer, the replica
     * fetchers run for some milliseconds more, and files are closed in order, so no batch is half-written. Records that
     * were not flushed survive, as when a process dies and its machine does not.
     *
     * @throws IllegalStateException when it is not running
     */
    public void kill(int node) {
        broker(node).kill();
    }

    /** {@link #stop} and {@link #start} of a node. */
    public void restart(int node) {
        stop(node);
        start(node);
    }

    /**
     * Waits until all running nodes are in service, and every partition with a replica on one of them has a running
     * leader and all its running replicas in sync.
     *
     * @throws IllegalStateException if the limit is reached, with what is missing; or if a server has failed
     *     permanently
     */
    public void awaitReady(Duration limit) {
        Await.until("a ready cluster", limit, () -> {
            faults.check();
            return view.notReady();
        });
    }

    private BrokerNode broker(int node) {
        if (node < 1 || node > brokers.size()) {
            throw new IllegalArgumentException("node " + node + ": must be 1 to " + brokers.size());
        }
        return brokers.get(node - 1);
    }

    /**
     * Ends every broker cleanly, and deletes a temporary directory. Takes a few seconds; a second call does nothing.
     * Close your own clients first, or they keep looking for the brokers.
     */
    @Override
    public void close() {
        if (!outlivesClose) {
            closing.run();
        }
    }

    /**
     * Brokers start and end at the same time, on a platform thread each, since most of it is disk work and class
     * loading.
     */
    private void onEach(java.util.function.Consumer<BrokerNode> action) {
        if (brokers.size() == 1) {
            action.accept(brokers.getFirst());
            return;
        }
        try (ExecutorService threads = Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().name("laneway-kafka-", 1).factory())) {
            List<CompletableFuture<Void>> running = brokers.stream()
                    .map(broker -> CompletableFuture.runAsync(() -> action.accept(broker), threads))
                    .toList();
            CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }
}
