package dev.laneway.bench.peer;

import dev.laneway.CommitMode;
import dev.laneway.Ordering;
import dev.laneway.assign.LoadAssignor;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;

/** The peers by name. Only the libraries of the requested one are loaded. */
public final class Peers {
    /** Laneway's default, so that both commit at the same interval. */
    private static final Duration COMMIT_INTERVAL = ((CommitMode.Async) CommitMode.DEFAULT).interval();

    private static final Map<String, Supplier<Peer>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("bare", () -> new PeerBare("classic"));
        ALL.put("bare-consumer", () -> new PeerBare("consumer"));
        ALL.put("bare-interval", () -> new PeerBare("classic", COMMIT_INTERVAL));
        ALL.put("bare-sticky", () -> new PeerBare(CooperativeStickyAssignor.class));
        ALL.put("bare-load", () -> new PeerBare(LoadAssignor.class));
        ALL.put("bare-unbounded", PeerBareUnbounded::new);
        // With other versions of the client, see ArmProcess.
        ALL.put("bare-2.3.1", () -> new PeerBare("classic"));
        ALL.put("bare-2.4.0", () -> new PeerBare("classic"));
        ALL.put("bare-pausing", PeerPausing::new);
        ALL.put("bare-pausing-2.3.1", PeerPausing::new);
        ALL.put("bare-vthreads", PeerVirtualThreads::new);
        ALL.put("share", PeerShare::new);
        ALL.put("laneway", () -> new PeerLaneway(Ordering.KEY));
        ALL.put("laneway-unordered", () -> new PeerLaneway(Ordering.UNORDERED));
        ALL.put("laneway-partition", () -> new PeerLaneway(Ordering.PARTITION));
        ALL.put("laneway-metered", PeerLanewayMetered::new);
        ALL.put("laneway-stream", PeerLanewayStream::new);
        ALL.put("parallel-consumer", () -> new PeerParallelConsumer(ProcessingOrder.KEY));
        ALL.put("parallel-consumer-unordered", () -> new PeerParallelConsumer(ProcessingOrder.UNORDERED));
        ALL.put("parallel-consumer-partition", () -> new PeerParallelConsumer(ProcessingOrder.PARTITION));
        ALL.put("parallel-consumer-reactor", () -> new PeerParallelConsumerReactor(ProcessingOrder.KEY));
        ALL.put("parallel-consumer-vertx", () -> new PeerParallelConsumerVertx(ProcessingOrder.KEY));
        ALL.put("pekko", PeerPekko::new);
        ALL.put("pekko-partitioned", PeerPekkoPartitioned::new);
        ALL.put("reactor-kafka", PeerReactorKafka::new);
        ALL.put("spring-kafka", PeerSpringKafka::new);
        ALL.put("vertx", PeerVertx::new);
        ALL.put("kafka-streams", PeerKafkaStreams::new);
    }

    private Peers() {}

    static Set<String> names() {
        return ALL.keySet();
    }

    public static Peer of(String name) {
        Supplier<Peer> made = ALL.get(name);
        if (made == null) {
            throw new IllegalArgumentException("no peer is called " + name);
        }
        return made.get();
    }
}
