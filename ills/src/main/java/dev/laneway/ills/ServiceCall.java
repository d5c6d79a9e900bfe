package dev.laneway.ills;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** A call of a {@link SlowService}, as handlers make it. Used by one thread. */
interface ServiceCall {
    void call();

    /** By HTTP, as of another service, or by a socket, as a driver of a database does. */
    static ServiceCall of(Settings settings) {
        int port = (int) settings.number("service", 0);
        return settings.text("call", "http").equals("http") ? http(port) : socket(port);
    }

    private static ServiceCall http(int port) {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/price"))
                .build();
        return () -> {
            try {
                var _ = client.send(request, HttpResponse.BodyHandlers.discarding());
            } catch (IOException failed) {
                throw new Handling.Failure("the service fails: " + failed);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                throw new Handling.Failure("interrupted");
            }
        };
    }

    private static ServiceCall socket(int port) {
        try {
            Socket socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port);
            socket.setTcpNoDelay(true);
            return () -> {
                try {
                    socket.getOutputStream().write(1);
                    if (socket.getInputStream().read() < 0) {
                        throw new Handling.Failure("the service has closed the connection");
                    }
                } catch (IOException failed) {
                    throw new Handling.Failure("the service fails: " + failed);
                }
            };
        } catch (IOException failed) {
            throw new Handling.Failure("the service does not answer: " + failed);
        }
    }
}
