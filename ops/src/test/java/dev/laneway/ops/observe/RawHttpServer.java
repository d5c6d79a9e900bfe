package dev.laneway.ops.observe;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Answers each connection with bytes that a test writes, be they HTTP or not. */
final class RawHttpServer implements AutoCloseable {
    /** Writes an answer. */
    interface Answer {
        void write(OutputStream out) throws IOException, InterruptedException;
    }

    private final ServerSocket server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    RawHttpServer(Answer answer) throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        threads.execute(() -> {
            while (!server.isClosed()) {
                try {
                    Socket connection = server.accept();
                    threads.execute(() -> answer(connection, answer));
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    private static void answer(Socket connection, Answer answer) {
        try (connection) {
            connection.getInputStream().read(new byte[8192]); // The request.
            answer.write(connection.getOutputStream());
        } catch (IOException | InterruptedException gone) {
            // The source has given up, or the test has ended.
        }
    }

    static RawHttpServer of(String status, String headers, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return new RawHttpServer(out -> {
            out.write(("HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + bytes.length + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            out.write(bytes);
        });
    }

    static RawHttpServer telling(String body) throws IOException {
        return of("200 OK", "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n", body);
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort() + "/metrics";
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
    }
}
