package dev.laneway.dashboard;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests. Files of the page hold nothing and are for everybody; figures need the token where one is asked
 * for; actions always do.
 */
final class PageServer implements AutoCloseable {
    private static final int BACKLOG = 64;
    private static final int MOST_REQUESTS = 128;
    private static final int MOST_BODY = 64 * 1024;
    private static final String JSON = "application/json; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final Map<String, String> TYPES = types();

    private final HttpServer server;
    private final Access access;
    private final boolean isTokenNeeded;
    private final Broadcast broadcast;
    private final Live live;
    private final @Nullable Actions actions;
    private final Exchanges exchanges;
    private final AtomicInteger requests = new AtomicInteger();
    private final Map<String, byte[]> files = new LinkedHashMap<>();

    private static Map<String, String> types() {
        Map<String, String> types = new LinkedHashMap<>();
        types.put("/index.html", "text/html; charset=utf-8");
        for (String script : List.of("/page.js", "/charts.js", "/heat.js", "/words.js", "/stream.js")) {
            types.put(script, "text/javascript; charset=utf-8");
        }
        types.put("/page.css", "text/css; charset=utf-8");
        types.put("/icon.svg", "image/svg+xml");
        types.put("/uplot/uPlot.iife.min.js", "text/javascript; charset=utf-8");
        types.put("/uplot/uPlot.min.css", "text/css; charset=utf-8");
        types.put("/uplot/LICENSE", TEXT);
        return types;
    }

    /** @throws IOException if the port is taken */
    PageServer(
            InetSocketAddress address,
            Access access,
            boolean isTokenNeeded,
            Broadcast broadcast,
            Live live,
            @Nullable Actions actions,
            Exchanges exchanges)
            throws IOException {
        this.access = access;
        this.isTokenNeeded = isTokenNeeded;
        this.broadcast = broadcast;
        this.live = live;
        this.actions = actions;
        this.exchanges = exchanges;
        for (String file : TYPES.keySet()) {
            try (InputStream stream = PageServer.class.getResourceAsStream(file.substring(1))) {
                files.put(file, Objects.requireNonNull(stream, file).readAllBytes());
            }
        }
        server = HttpServer.create(address, BACKLOG);
        server.setExecutor(exchanges);
        server.createContext("/", this::handle);
    }

    /** Its own thread is a daemon: a page keeps no process alive. */
    void start() throws InterruptedException {
        Thread starter =
                Thread.ofPlatform().name("laneway-dashboard-start").daemon().start(server::start);
        starter.join();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            guard(exchange.getResponseHeaders());
            if (requests.incrementAndGet() > MOST_REQUESTS) {
                refuse(exchange, 503, "too many requests at once: try again");
            } else {
                answer(exchange);
            }
        } finally {
            requests.decrementAndGet();
        }
    }

    private static void guard(Headers headers) {
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("X-Frame-Options", "DENY");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
        headers.set("Cache-Control", "no-store");
    }

    private void answer(HttpExchange exchange) throws IOException {
        String from = exchange.getRemoteAddress().getAddress().getHostAddress();
        long now = System.nanoTime();
        if (!access.isHost(exchange.getRequestHeaders().getFirst("Host"))) {
            refuse(exchange, 421, "this name is not allowed: open the page by its address, or allow the name");
        } else if (!access.mayAsk(from, now)) {
            exchange.getResponseHeaders().set("Retry-After", "1");
            refuse(exchange, 429, "too many requests: wait a second");
        } else if (exchange.getRequestMethod().equals("GET")) {
            get(exchange, exchange.getRequestURI().getPath(), from, now);
        } else if (exchange.getRequestMethod().equals("POST")
                && exchange.getRequestURI().getPath().equals("/actions")) {
            act(exchange, from, now);
        } else {
            exchange.getResponseHeaders().set("Allow", "GET");
            refuse(exchange, 405, "only GET");
        }
    }

    private void get(HttpExchange exchange, @Nullable String path, String from, long now) throws IOException {
        String file = path == null || path.equals("/") ? "/index.html" : path;
        byte[] content = files.get(file);
        if (content != null) {
            send(exchange, 200, TYPES.getOrDefault(file, TEXT), content);
        } else if (!file.equals("/events") && !file.equals("/frame") && !file.equals("/summary")) {
            refuse(exchange, 404, "nothing is here");
        } else if (isTokenNeeded && !isAuthorised(exchange, from, now)) {
            return; // It was told so.
        } else if (file.equals("/frame")) {
            send(exchange, 200, JSON, live.latest());
        } else if (file.equals("/summary")) {
            send(exchange, 200, JSON, live.summary());
        } else if (broadcast.isFull()) {
            exchange.getResponseHeaders().set("Retry-After", "10");
            refuse(exchange, 503, "too many watch already: close another page");
        } else {
            exchanges.exempt();
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
            exchange.sendResponseHeaders(200, 0);
            broadcast.serve(exchange, live.hello(), live.latest());
        }
    }

    private boolean isAuthorised(HttpExchange exchange, String from, long now) throws IOException {
        if (!access.mayTry(from, now)) {
            refuse(exchange, 429, "too many wrong tokens: wait a minute");
            return false;
        }
        if (!access.isAuthorised(exchange.getRequestHeaders().getFirst("Authorization"), from, now)) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            refuse(exchange, 401, "the token is missing or wrong: it is at the end of the address that was printed");
            return false;
        }
        return true;
    }

    private void act(HttpExchange exchange, String from, long now) throws IOException {
        Actions own = actions;
        Headers headers = exchange.getRequestHeaders();
        String type = headers.getFirst("Content-Type");
        if (own == null) {
            refuse(exchange, 403, "actions are not enabled: see docs/dashboard.md");
        } else if (!Access.isOwnOrigin(
                headers.getFirst("Origin"), headers.getFirst("Host"), headers.getFirst("Sec-Fetch-Site"))) {
            own.refused(from, "the request came from another site");
            refuse(exchange, 403, "this request comes from another site");
        } else if (!isAuthorised(exchange, from, now)) {
            own.refused(from, "no token, or a wrong one");
        } else if (type == null || !type.startsWith("application/json")) {
            refuse(exchange, 415, "the content type must be application/json");
        } else {
            byte[] body = exchange.getRequestBody().readNBytes(MOST_BODY + 1);
            if (body.length > MOST_BODY) {
                refuse(exchange, 413, "the request is too long");
                return;
            }
            Actions.Answer answer = own.act(from, body);
            send(exchange, answer.status(), JSON, PageJson.bytes(Map.of("sentence", answer.sentence())));
        }
    }

    private static void refuse(HttpExchange exchange, int status, String sentence) throws IOException {
        exchange.getResponseHeaders().set("Connection", "close");
        send(exchange, status, JSON, PageJson.bytes(Map.of("sentence", sentence)));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] content) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(content);
        }
    }

    @Override
    public void close() {
        broadcast.close();
        server.stop(0);
    }
}
