package dev.laneway.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A web service as examples meet it: it takes {@code POST /accounts/NAME}, needs a moment for each, and every seventh
 * request is answered with 503. It remembers what it accepted. Thread-safe.
 */
final class AccountService implements AutoCloseable {
    private static final Duration WORK = Duration.ofMillis(10);
    private static final int REFUSED_ONE_IN = 7;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, List<String>> accepted = new ConcurrentHashMap<>();
    private final CountDownLatch expected;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();

    private AccountService(HttpServer server, int expected) {
        this.server = server;
        this.expected = new CountDownLatch(expected);
    }

    /** Starts on a free port of the loopback address. */
    static AccountService start(int expected) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AccountService service = new AccountService(server, expected);
        server.setExecutor(service.threads);
        server.createContext("/accounts/", service::answer);
        server.start();
        return service;
    }

    URI account(String name) {
        return URI.create("http://localhost:" + server.getAddress().getPort() + "/accounts/" + name);
    }

    /** Returns when as many requests as expected were accepted. */
    void await(Duration limit) throws InterruptedException, TimeoutException {
        if (!expected.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new TimeoutException(expected.getCount() + " requests are missing after " + limit);
        }
    }

    /** The accepted bodies of each account, in the order of their arrival. */
    Map<String, List<String>> accepted() {
        return new TreeMap<>(accepted);
    }

    /** How many requests were worked on at the same time, at most. */
    int mostAtOnce() {
        return mostAtOnce.get();
    }

    /** How many requests came, refused ones included. */
    int requests() {
        return requests.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            String path = exchange.getRequestURI().getPath();
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Thread.sleep(WORK);
            boolean refused = requests.incrementAndGet() % REFUSED_ONE_IN == 0;
            if (!refused) {
                String account = path.substring(path.lastIndexOf('/') + 1);
                accepted.computeIfAbsent(account, _ -> new CopyOnWriteArrayList<>())
                        .add(body);
            }
            atOnce.decrementAndGet();
            exchange.sendResponseHeaders(refused ? 503 : 200, -1);
            if (!refused) {
                expected.countDown();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
