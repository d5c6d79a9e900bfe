package dev.laneway.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The few requests that scaling takes, as the API reference has them: the scale subresource by GET and by a merge patch
 * with the resourceVersion that was read, which the server refuses with 409 where somebody was faster; who else scales
 * the workload; and an event. Each is made once and has a limit. Used by one thread.
 */
final class ScaleApi {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int OK = 200;
    private static final int MULTIPLE = 300;
    private static final int NOT_FOUND = 404;
    private static final int MOST_MESSAGE = 300;
    private static final int MOST_NOTE = 1_000;

    private final HttpClient http;
    private final URI server;
    private final Workload workload;
    private final Duration limit;

    /**
     * The scale subresource. Immutable.
     *
     * @param wanted replicas that are asked for, and {@code present} those that exist
     */
    record Scale(int wanted, int present, String resourceVersion) {}

    /** @param limit how long the server may take for each request */
    ScaleApi(KubernetesClient client, Workload workload, Duration limit) {
        this.http = client.getHttpClient();
        this.server = URI.create(client.getMasterUrl().toString());
        this.workload = workload;
        this.limit = limit;
    }

    Scale read() throws ApiFailure {
        return scale(send("GET", workload.scalePath(), null));
    }

    /** Asks for so many replicas, if the workload is as it was read. */
    Scale change(Scale read, int replicas) throws ApiFailure {
        ObjectNode patch = JSON.createObjectNode();
        patch.putObject("metadata").put("resourceVersion", read.resourceVersion());
        patch.putObject("spec").put("replicas", replicas);
        return scale(send("PATCH", workload.scalePath(), patch));
    }

    private Scale scale(JsonNode json) throws ApiFailure {
        JsonNode version = json.path("metadata").path("resourceVersion");
        JsonNode present = json.path("status").path("replicas");
        if (!json.path("kind").asText().equals("Scale") || !version.isTextual() || !present.isInt()) {
            throw new ApiFailure(ApiFailure.NO_ANSWER, "the answer about the scale of " + workload + " is no Scale");
        }
        // Zero is left out.
        return new Scale(json.path("spec").path("replicas").asInt(0), present.asInt(), version.asText());
    }

    /** Who else scales the workload, in words; null if nobody does. */
    @Nullable
    String rival() throws ApiFailure {
        JsonNode autoscalers = send(
                "GET", "/apis/autoscaling/v2/namespaces/" + workload.namespace() + "/horizontalpodautoscalers", null);
        for (JsonNode each : autoscalers.path("items")) {
            if (isTarget(each.path("spec").path("scaleTargetRef"), "")) {
                return "HorizontalPodAutoscaler "
                        + each.path("metadata").path("name").asText();
            }
        }
        JsonNode scaled;
        try {
            scaled = send("GET", "/apis/keda.sh/v1alpha1/namespaces/" + workload.namespace() + "/scaledobjects", null);
        } catch (ApiFailure failed) {
            if (failed.status() == NOT_FOUND) {
                return null; // The cluster has no KEDA.
            }
            throw failed;
        }
        for (JsonNode each : scaled.path("items")) {
            if (isTarget(each.path("spec").path("scaleTargetRef"), Workload.Kind.DEPLOYMENT.word)) {
                return "ScaledObject " + each.path("metadata").path("name").asText();
            }
        }
        return null;
    }

    private boolean isTarget(JsonNode target, String usualKind) {
        return target.path("name").asText().equals(workload.name())
                && target.path("kind").asText(usualKind).equals(workload.kind().word);
    }

    /** Leaves an event at the workload. */
    void tell(String reason, String note, Instant now) throws ApiFailure {
        ObjectNode event = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Event");
        event.putObject("metadata")
                .put("generateName", workload.name() + ".laneway-")
                .put("namespace", workload.namespace());
        event.putObject("involvedObject")
                .put("apiVersion", "apps/v1")
                .put("kind", workload.kind().word)
                .put("name", workload.name())
                .put("namespace", workload.namespace());
        event.put("type", "Normal")
                .put("reason", reason)
                .put("message", note.length() > MOST_NOTE ? note.substring(0, MOST_NOTE) : note)
                .put("count", 1)
                .put("firstTimestamp", now.toString())
                .put("lastTimestamp", now.toString());
        event.putObject("source").put("component", "laneway-autoscaler");
        send("POST", "/api/v1/namespaces/" + workload.namespace() + "/events", event);
    }

    private JsonNode send(String method, String path, @Nullable JsonNode body) throws ApiFailure {
        HttpRequest.Builder builder =
                http.newHttpRequestBuilder().uri(server.resolve(path)).timeout(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (body != null) {
            String type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
            builder = builder.method(method, type, body.toString());
        }
        HttpRequest request = builder.build();
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request, String.class);
        String what = method + " " + path;
        try {
            HttpResponse<String> response = answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            String text = String.valueOf(response.body());
            if (response.code() < OK || response.code() >= MULTIPLE) {
                throw new ApiFailure(response.code(), what + " is answered with " + response.code() + message(text));
            }
            return JSON.readTree(text);
        } catch (TimeoutException late) {
            answer.cancel(true);
            throw new ApiFailure(ApiFailure.NO_ANSWER, what + " is not answered within " + limit.toMillis() + " ms");
        } catch (ExecutionException failed) {
            throw new ApiFailure(ApiFailure.NO_ANSWER, what + " fails: " + failed.getCause());
        } catch (JsonProcessingException wrong) {
            throw new ApiFailure(ApiFailure.NO_ANSWER, what + " is answered with what is no JSON");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new ApiFailure(ApiFailure.NO_ANSWER, what + " was interrupted");
        }
    }

    /** What the answer says, if it is a Status: of an API that it does not have, the server says so in plain text. */
    private static String message(String answer) {
        String text;
        try {
            text = JSON.readTree(answer).path("message").asText("");
        } catch (JsonProcessingException plain) {
            text = answer.strip();
        }
        return text.isEmpty() ? "" : ": " + text.substring(0, Math.min(text.length(), MOST_MESSAGE));
    }
}
