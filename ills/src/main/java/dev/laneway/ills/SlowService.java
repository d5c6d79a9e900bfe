package dev.laneway.ills;

import com.sun.net.httpserver.HttpServer;
import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Something outside Kafka that handlers call: each answer takes a time, by HTTP or byte for byte on a socket. */
final class SlowService implements AutoCloseable {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    private static final int NO_CONTENT = 204;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Duration each;
    private final HttpServer http;
    private final ServerSocket sockets;

    SlowService(Duration each) {
        this.each = each;
        try {
            http = HttpServer.create(ANY_PORT, 0);
            sockets = new ServerSocket();
            sockets.bind(ANY_PORT);
        } catch (IOException failed) {
            throw new VerbFailure("cannot listen on 127.0.0.1: " + failed.getMessage(), failed);
        }
        http.setExecutor(threads);
        http.createContext("/", exchange -> {
            pause();
            exchange.sendResponseHeaders(NO_CONTENT, -1);
            exchange.close();
        });
        http.start();
        threads.execute(this::accept);
    }

    int httpPort() {
        return http.getAddress().getPort();
    }

    int socketPort() {
        return sockets.getLocalPort();
    }

    private void accept() {
        while (!sockets.isClosed()) {
            try {
                Socket socket = sockets.accept();
                threads.execute(() -> answer(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void answer(Socket connected) {
        try (Socket socket = connected) {
            socket.setTcpNoDelay(true);
            int asked = socket.getInputStream().read();
            while (asked >= 0) {
                pause();
                socket.getOutputStream().write(asked);
                asked = socket.getInputStream().read();
            }
        } catch (IOException gone) {
            // Its client has ended.
        }
    }

    private void pause() {
        try {
            Thread.sleep(each);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        http.stop(0);
        try {
            sockets.close();
        } catch (IOException failed) {
            // Its port is free when this process ends.
        }
        threads.shutdownNow();
    }
}
