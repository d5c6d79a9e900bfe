package dev.laneway.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An API server with one deployment, as far as scaling it goes, written from Kubernetes' API reference: the scale
 * subresource with resourceVersion, merge patches only with their media type, and each request against the rules of a
 * role. Thread-safe.
 */
final class FakeScaleServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern PATH = Pattern.compile(
            "/(?:api|apis/([a-z.0-9]+))/v[0-9a-z]+/namespaces/prod/([a-z]+)(?:/([-a-z0-9]+)(/scale)?)?");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final List<JsonNode> events = new ArrayList<>();
    private final List<JsonNode> rivals = new ArrayList<>();
    private @Nullable ObjectNode lease;
    private List<PolicyRule> rules;
    private int wanted;
    private int present;
    private int version = 1;
    private boolean isGone;
    private boolean isSilent;
    private int failure;

    FakeScaleServer(int replicas, List<PolicyRule> rules) {
        this.wanted = replicas;
        this.present = replicas;
        this.rules = List.copyOf(rules);
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/";
    }

    /** Somebody else asks for so many replicas, which are there at once. */
    synchronized void set(int replicas) {
        wanted = replicas;
        present = replicas;
        version++;
    }

    /** What is asked for comes. */
    synchronized void settle() {
        present = wanted;
    }

    synchronized int wanted() {
        return wanted;
    }

    synchronized List<JsonNode> events() {
        return List.copyOf(events);
    }

    synchronized void rules(List<PolicyRule> other) {
        rules = List.copyOf(other);
    }

    synchronized void gone() {
        isGone = true;
    }

    /** Changes are made, but never answered. */
    synchronized void silent() {
        isSilent = true;
    }

    /** Each request that would change something fails with this status. */
    synchronized void failing(int status) {
        failure = status;
    }

    synchronized void rival(String kind, String name, String targetKind, String target) {
        ObjectNode rival = JSON.createObjectNode().put("kind", kind);
        rival.putObject("metadata").put("name", name);
        ObjectNode ref = rival.putObject("spec").putObject("scaleTargetRef").put("name", target);
        if (!targetKind.isEmpty()) {
            ref.put("kind", targetKind);
        }
        rivals.add(rival);
    }

    private record Answer(int status, JsonNode body) {
        /** As the server answers for an API that it does not have: without a Status. */
        static Answer noSuchApi() {
            return new Answer(404, TextNode.valueOf("404 page not found"));
        }

        static Answer status(int code, String message) {
            return new Answer(
                    code,
                    JSON.createObjectNode()
                            .put("kind", "Status")
                            .put("status", "Failure")
                            .put("message", message)
                            .put("code", code));
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode body = JSON.readTree(exchange.getRequestBody());
            Answer answer = handle(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().getPath(),
                    String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")),
                    body);
            boolean isHeld;
            synchronized (this) {
                isHeld = isSilent;
            }
            if (isHeld) {
                closing.await();
                return;
            }
            boolean isText = answer.body().isTextual();
            String text = isText ? answer.body().asText() + "\n" : answer.body().toString();
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", isText ? "text/plain" : "application/json");
            exchange.sendResponseHeaders(answer.status(), bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Answer handle(String method, String path, String type, JsonNode body) {
        Matcher parts = PATH.matcher(path);
        if (!parts.matches()) {
            return Answer.status(404, "the server could not find the requested resource");
        }
        String group = parts.group(1) == null ? "" : parts.group(1);
        String resource = parts.group(2) + (parts.group(4) == null ? "" : parts.group(4));
        String verb = method.equals("GET")
                ? parts.group(3) == null ? "list" : "get"
                : method.equals("POST") ? "create" : method.toLowerCase(Locale.ROOT);
        if (!isAllowed(group, resource, verb)) {
            return Answer.status(403, resource + " is forbidden: cannot " + verb + " in API group \"" + group + "\"");
        }
        if (!method.equals("GET") && failure > 0) {
            return Answer.status(failure, "it fails");
        }
        return switch (resource) {
            case "deployments/scale" -> scale(method, String.valueOf(parts.group(3)), type, body);
            case "horizontalpodautoscalers" -> list("HorizontalPodAutoscaler");
            case "scaledobjects" ->
                rivals.stream().anyMatch(each -> each.path("kind").asText().equals("ScaledObject"))
                        ? list("ScaledObject")
                        : Answer.noSuchApi();
            case "leases" -> lease(method, body);
            case "events" -> {
                events.add(body);
                yield new Answer(201, body);
            }
            default -> Answer.status(404, "the server could not find the requested resource");
        };
    }

    private boolean isAllowed(String group, String resource, String verb) {
        return rules.stream()
                .anyMatch(rule -> rule.getApiGroups().contains(group)
                        && rule.getResources().contains(resource)
                        && rule.getVerbs().contains(verb));
    }

    /** There is one; whoever changes it must have read what is there. */
    private Answer lease(String method, JsonNode body) {
        boolean isRead = method.equals("GET");
        if (isRead ? lease == null : lease != null && method.equals("POST")) {
            return Answer.status(isRead ? 404 : 409, isRead ? "leases not found" : "leases already exists");
        }
        if (!isRead) {
            JsonNode read = body.path("metadata").path("resourceVersion");
            if (lease != null && !read.isMissingNode() && !read.asText().equals("" + version)) {
                return Answer.status(409, "Operation cannot be fulfilled: the object has been modified");
            }
            version++;
            ObjectNode changed = body.deepCopy();
            lease = changed;
            changed.withObject("/metadata").put("resourceVersion", "" + version);
        }
        return new Answer(200, lease);
    }

    private Answer list(String kind) {
        ObjectNode list = JSON.createObjectNode().put("kind", kind + "List");
        list.putArray("items")
                .addAll(rivals.stream()
                        .filter(each -> each.path("kind").asText().equals(kind))
                        .toList());
        return new Answer(200, list);
    }

    private Answer scale(String method, String name, String type, JsonNode body) {
        if (isGone || !name.equals("shop")) {
            return Answer.status(404, "deployments.apps \"" + name + "\" not found");
        }
        if (method.equals("PATCH")) {
            if (!type.startsWith("application/merge-patch+json")) {
                return Answer.status(415, "the body of the request was in an unknown format");
            }
            JsonNode read = body.path("metadata").path("resourceVersion");
            if (!read.isMissingNode() && !read.asText().equals("" + version)) {
                return Answer.status(409, "Operation cannot be fulfilled: the object has been modified");
            }
            wanted = body.path("spec").path("replicas").asInt();
            version++;
        }
        ObjectNode scale =
                JSON.createObjectNode().put("apiVersion", "autoscaling/v1").put("kind", "Scale");
        scale.putObject("metadata").put("name", name).put("namespace", "prod").put("resourceVersion", "" + version);
        ObjectNode spec = scale.putObject("spec");
        if (wanted > 0) {
            spec.put("replicas", wanted);
        }
        scale.putObject("status").put("replicas", present);
        return new Answer(200, scale);
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
