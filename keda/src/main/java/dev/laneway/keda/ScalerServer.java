package dev.laneway.keda;

import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The gRPC server: the scaler's service and gRPC's own health service, no reflection. Thread-safe. */
final class ScalerServer implements AutoCloseable {
    /** No call waits for anything. */
    private static final int THREADS = 2;
    /** A ScaledObject has a few hundred bytes. */
    private static final int MOST_BYTES = 64 << 10;

    private static final int MOST_CALLS = 100;
    private static final int KEEP_ALIVE_SECONDS = 30;
    private static final int SHORTEST_KEEP_ALIVE_SECONDS = 10;
    private static final Duration END = Duration.ofSeconds(5);

    private final HealthStatusManager health = new HealthStatusManager();
    private final ExecutorService threads = Executors.newFixedThreadPool(
            THREADS, Thread.ofPlatform().name("laneway-grpc-", 0).factory());
    private final Server server;

    private ScalerServer(ScalerService service, InetSocketAddress address, ServerCredentials credentials) {
        server = NettyServerBuilder.forAddress(address, credentials)
                .executor(threads)
                .addService(service.definition())
                .addService(health.getHealthService())
                .maxInboundMessageSize(MOST_BYTES)
                .maxConcurrentCallsPerConnection(MOST_CALLS)
                // A client that is gone without a word is found, and its streams with it.
                .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveTime(SHORTEST_KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .build();
        health.setStatus(ScalerService.NAME, ServingStatus.SERVING);
    }

    /** Plain text: whoever reads the network reads names and numbers. */
    static ServerCredentials plainText() {
        return InsecureServerCredentials.create();
    }

    /** @throws IOException if the address is taken, or none of this machine */
    static ScalerServer start(ScalerService service, InetSocketAddress address, ServerCredentials credentials)
            throws IOException {
        ScalerServer started = new ScalerServer(service, address, credentials);
        try {
            started.server.start();
        } catch (IOException | RuntimeException failed) {
            started.threads.shutdownNow();
            throw failed;
        }
        return started;
    }

    int port() {
        return server.getPort();
    }

    /** Takes no more calls; those that are open may go on. */
    void leave() {
        if (!server.isShutdown()) {
            server.shutdown();
            health.enterTerminalState();
        }
    }

    /** Ends all calls, at the latest after some seconds. */
    @Override
    public void close() {
        leave();
        try {
            if (!server.awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS)) {
                server.shutdownNow();
                boolean _ = server.awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException interrupted) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        threads.shutdown();
    }
}
