package dev.laneway.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.watch.CheckInputs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Serves the check as a tool of the Model Context Protocol: JSON-RPC 2.0, a message a line, requests from a reader and
 * answers to a stream. Read-only: the tool changes nothing. Used by one thread.
 */
final class CheckMcp {
    private static final String LATEST = "2025-06-18";
    private static final List<String> VERSIONS = List.of(LATEST, "2025-03-26", "2024-11-05");
    private static final int PARSE_ERROR = -32_700;
    private static final int INVALID_REQUEST = -32_600;
    private static final int NO_METHOD = -32_601;
    private static final int INVALID_PARAMS = -32_602;
    private static final int LONGEST_LINE = 1 << 20;

    private final ObjectMapper json = new ObjectMapper();
    private final Tool tool;

    /** What a call of the tool does. */
    interface Tool {
        /**
         * Judges.
         *
         * @throws VerbFailure if that is not possible
         */
        Result check(CheckInputs inputs) throws InterruptedException;
    }

    /** The verdict for people and for programs. */
    record Result(String text, Map<String, @Nullable Object> verdict) {}

    CheckMcp(Tool tool) {
        this.tool = tool;
    }

    /** Answers until the reader ends. */
    void serve(Reader in, PrintStream out) throws IOException, InterruptedException {
        BufferedReader lines = new BufferedReader(in);
        String line = line(lines);
        while (line != null) {
            if (!line.isBlank()) {
                ObjectNode answer = answer(line);
                if (answer != null) {
                    out.println(json.writeValueAsString(answer));
                    out.flush();
                }
            }
            line = line(lines);
        }
    }

    /** The next line; of one that is too long only the beginning, which is no JSON. */
    private static @Nullable String line(BufferedReader in) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        while (next >= 0 && next != '\n') {
            if (line.length() < LONGEST_LINE) {
                line.append((char) next);
            }
            next = in.read();
        }
        return line.toString();
    }

    private @Nullable ObjectNode answer(String line) throws InterruptedException {
        JsonNode request;
        try {
            request = json.readTree(line);
        } catch (JsonProcessingException wrong) {
            return error(null, PARSE_ERROR, "not JSON");
        }
        JsonNode id = request.get("id");
        JsonNode method = request.get("method");
        if (!request.isObject() || method == null || !method.isTextual()) {
            return error(id, INVALID_REQUEST, "not a request: an object with method is one");
        }
        if (id == null) {
            return null; // A notification.
        }
        return switch (method.asText()) {
            case "initialize" -> result(id, hello(request.path("params")));
            case "ping" -> result(id, json.createObjectNode());
            case "tools/list" -> result(id, tools());
            case "tools/call" -> call(id, request.path("params"));
            default -> error(id, NO_METHOD, "no method " + method.asText());
        };
    }

    private ObjectNode hello(JsonNode params) {
        String asked = params.path("protocolVersion").asText(LATEST);
        ObjectNode hello = json.createObjectNode();
        hello.put("protocolVersion", VERSIONS.contains(asked) ? asked : LATEST);
        hello.putObject("capabilities").putObject("tools");
        hello.putObject("serverInfo").put("name", "laneway-check").put("version", version());
        return hello;
    }

    private static String version() {
        String version = CheckMcp.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    private ObjectNode tools() {
        ObjectNode result = json.createObjectNode();
        ObjectNode check = result.putArray("tools").addObject();
        check.put("name", "check");
        check.put("title", "Check a Kafka consumer group");
        check.put(
                "description",
                "Says whether a Kafka consumer group is healthy, what limits or breaks it, the evidence, and what to"
                        + " do. Watches it for a while; changes nothing.");
        ObjectNode schema = check.putObject("inputSchema").put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        properties.putObject("group").put("type", "string").put("description", "the group's id");
        list(properties, "pid", "integer", "process ids of members on this machine");
        list(properties, "jmx", "string", "remote JMX ports of members, host:port");
        list(properties, "prometheus", "string", "URLs of members' metrics as Prometheus text");
        properties
                .putObject("keys")
                .put("type", "boolean")
                .put("description", "read some records where the group is behind, to tell a hot key: needs READ");
        schema.put("additionalProperties", false);
        check.putObject("annotations").put("readOnlyHint", true).put("destructiveHint", false);
        return result;
    }

    private static void list(ObjectNode properties, String name, String type, String description) {
        properties
                .putObject(name)
                .put("type", "array")
                .put("description", description)
                .putObject("items")
                .put("type", type);
    }

    private ObjectNode call(JsonNode id, JsonNode params) throws InterruptedException {
        if (!params.path("name").asText().equals("check")) {
            return error(id, INVALID_PARAMS, "no tool " + params.path("name").asText() + ": there is check");
        }
        JsonNode arguments = params.path("arguments");
        CheckInputs inputs;
        try {
            inputs = new CheckInputs(
                    arguments.hasNonNull("group") ? arguments.get("group").asText() : null,
                    numbers(arguments, "pid"),
                    strings(arguments, "jmx"),
                    strings(arguments, "prometheus"),
                    arguments.path("keys").asBoolean(false));
        } catch (IllegalArgumentException wrong) {
            return error(id, INVALID_PARAMS, String.valueOf(wrong.getMessage()));
        }
        if (inputs.isEmpty()) {
            return error(id, INVALID_PARAMS, "group is not given and must be, unless a process is: name a group");
        }
        ObjectNode result = json.createObjectNode();
        ArrayNode content = result.putArray("content");
        try {
            Result verdict = tool.check(inputs);
            content.addObject().put("type", "text").put("text", verdict.text());
            result.set("structuredContent", json.valueToTree(verdict.verdict()));
            result.put("isError", false);
        } catch (VerbFailure failed) {
            content.addObject().put("type", "text").put("text", String.valueOf(failed.getMessage()));
            result.put("isError", true);
        }
        return result(id, result);
    }

    private static List<Long> numbers(JsonNode arguments, String name) {
        List<Long> numbers = new ArrayList<>();
        for (JsonNode each : arguments.path(name)) {
            if (!each.isIntegralNumber() || each.asLong() < 1) {
                throw new IllegalArgumentException(name + " is " + each + " but must be a process id: give a number");
            }
            numbers.add(each.asLong());
        }
        return numbers;
    }

    private static List<String> strings(JsonNode arguments, String name) {
        List<String> strings = new ArrayList<>();
        arguments.path(name).forEach(each -> strings.add(each.asText()));
        return strings;
    }

    private ObjectNode result(JsonNode id, ObjectNode result) {
        ObjectNode answer = json.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", id);
        answer.set("result", result);
        return answer;
    }

    private ObjectNode error(@Nullable JsonNode id, int code, String message) {
        ObjectNode answer = json.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", id);
        answer.putObject("error").put("code", code).put("message", message);
        return answer;
    }
}
