package dev.laneway.testkit;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.server.Server;
import kafka.server.SharedServer;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.bootstrap.BootstrapMetadata;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.raft.QuorumConfig;
import org.apache.kafka.server.ServerSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * The parts of Kafka that a broker and a controller need before they start.
 *
 * <p>Kafka's own KafkaRaftServer builds the same, but binds its sockets itself and ends the process at a fatal fault.
 */
record ServerParts(SharedServer shared, BootstrapMetadata bootstrapMetadata) {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedKafka.class);

    /** Made anew for each start: a server's configuration, metrics and raft client end with it. */
    static ServerParts of(Map<String, String> properties, ServerSocketFactory sockets, ServerFaults faults) {
        KafkaConfig config = new KafkaConfig(properties, false);
        Tuple2<MetaPropertiesEnsemble, BootstrapMetadata> directories =
                KafkaRaftServer.initializeLogDirs(config, LOG, "");
        MetaPropertiesEnsemble ensemble = directories._1();
        Metrics metrics = Server.initializeMetrics(
                config, Time.SYSTEM, ensemble.clusterId().orElseThrow());
        List<String> voters = config.quorumConfig().voters();
        SharedServer shared = new SharedServer(
                config,
                ensemble,
                Time.SYSTEM,
                metrics,
                CompletableFuture.completedFuture(QuorumConfig.parseVoterConnections(voters)),
                List.of(),
                faults,
                sockets);
        return new ServerParts(shared, directories._2());
    }
}
