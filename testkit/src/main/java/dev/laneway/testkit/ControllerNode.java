package dev.laneway.testkit;

import java.util.Map;
import kafka.server.ControllerServer;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.metadata.KRaftMetadataCache;
import org.jspecify.annotations.Nullable;

/**
 * The controller of an embedded cluster, a KRaft quorum of one. It lives as long as the cluster. Thread-safe after
 * {@link #start}.
 */
final class ControllerNode {

    private final ControllerServer server;

    private ControllerNode(ControllerServer server) {
        this.server = server;
    }

    static ControllerNode start(Map<String, String> properties, Port port, ServerFaults faults) {
        ServerParts parts = ServerParts.of(properties, port, faults);
        ControllerServer server =
                new ControllerServer(parts.shared(), KafkaRaftServer.configSchema(), parts.bootstrapMetadata());
        server.startup();
        return new ControllerNode(server);
    }

    /** The cluster's metadata as the controller has committed it. */
    MetadataImage metadata() {
        @Nullable KRaftMetadataCache cache = server.metadataCache();
        return cache == null ? MetadataImage.EMPTY : cache.currentImage();
    }

    void stop() {
        server.shutdown();
    }
}
