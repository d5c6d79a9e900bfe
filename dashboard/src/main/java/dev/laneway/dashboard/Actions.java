package dev.laneway.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.Laneway;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Pause, resume and drain for users who may, each written to the audit log before it is done. Thread-safe. */
final class Actions implements AutoCloseable {
    static final Duration DRAIN_LIMIT = Duration.ofMinutes(1);
    private static final Logger LOG = LoggerFactory.getLogger(Actions.class);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Laneway laneway;
    private final AuditLog audit;
    private final Timeline timeline;

    /** An answer to a request: the status, and a sentence. */
    record Answer(int status, String sentence) {}

    Actions(Laneway laneway, Path audit, Timeline timeline) throws IOException {
        this.laneway = laneway;
        this.audit = new AuditLog(audit);
        this.timeline = timeline;
    }

    List<String> names() {
        return List.of("pause", "resume", "drain");
    }

    /** Somebody without the right tried. */
    void refused(String from, String why) {
        try {
            audit.write(System.currentTimeMillis(), from, "unknown", List.of(), "refused: " + why);
        } catch (IOException failed) {
            LOG.warn("cannot append to the audit log", failed);
        }
    }

    /** Does what a request asks for. */
    Answer act(String from, byte[] body) {
        String action;
        Set<TopicPartition> partitions;
        try {
            JsonNode json = MAPPER.readTree(body);
            action = json.path("action").asText();
            if (!names().contains(action)) {
                return new Answer(400, "the action is '" + action + "' but must be one of " + names());
            }
            // What a user has confirmed is repeated: no request that is guessed or sent twice by mistake has it.
            if (!json.path("confirm").asText().equals(action)) {
                return new Answer(400, "confirm must repeat the action");
            }
            partitions = partitions(json.path("partitions"));
        } catch (IOException | IllegalArgumentException wrong) {
            return new Answer(
                    400, wrong instanceof IOException ? "this is no JSON" : String.valueOf(wrong.getMessage()));
        }
        List<String> names = partitions.stream().map(TopicPartition::toString).toList();
        long now = System.currentTimeMillis();
        try {
            audit.write(now, from, action, names, "begun");
        } catch (IOException failed) {
            LOG.error("cannot append to the audit log, so {} is refused", action, failed);
            return new Answer(500, "the audit log takes no line, so nothing was done");
        }
        timeline.action(now, action + (names.isEmpty() ? "" : " of " + String.join(", ", names)) + " by " + from);
        if (action.equals("drain")) {
            Thread.ofVirtual().name("laneway-dashboard-drain").start(() -> drain(from));
            return new Answer(202, "draining, for " + DRAIN_LIMIT.toSeconds() + " s at most; then it is closed");
        }
        return pauseOrResume(from, action, partitions, names);
    }

    private Answer pauseOrResume(String from, String action, Set<TopicPartition> partitions, List<String> names) {
        boolean pause = action.equals("pause");
        try {
            if (partitions.isEmpty() && pause) {
                laneway.pause();
            } else if (partitions.isEmpty()) {
                laneway.resume();
            } else if (pause) {
                laneway.pause(partitions);
            } else {
                laneway.resume(partitions);
            }
        } catch (RuntimeException failed) {
            end(from, action, names, "failed: " + failed);
            return new Answer(409, action + " failed: " + failed.getMessage());
        }
        end(from, action, names, "done");
        return new Answer(200, action + " is done");
    }

    private void drain(String from) {
        try {
            boolean whole = laneway.drain(DRAIN_LIMIT);
            end(from, "drain", List.of(), whole ? "done" : "ended at its limit with records unfinished");
        } catch (RuntimeException failed) {
            end(from, "drain", List.of(), "failed: " + failed);
        }
    }

    private void end(String from, String action, List<String> names, String result) {
        try {
            audit.write(System.currentTimeMillis(), from, action, names, result);
        } catch (IOException failed) {
            LOG.error("cannot append to the audit log that {} ended: {}", action, result, failed);
        }
    }

    private Set<TopicPartition> partitions(JsonNode listed) {
        Set<TopicPartition> assigned = laneway.assignment();
        Set<TopicPartition> named = new TreeSet<>(Comparator.comparing(TopicPartition::toString));
        List<String> unknown = new ArrayList<>();
        for (JsonNode each : listed) {
            assigned.stream()
                    .filter(one -> one.toString().equals(each.asText()))
                    .findFirst()
                    .ifPresentOrElse(named::add, () -> unknown.add(each.asText()));
        }
        if (!unknown.isEmpty() || (listed.isArray() && named.isEmpty())) {
            throw new IllegalArgumentException("not assigned: " + unknown);
        }
        return named;
    }

    @Override
    public void close() {
        try {
            audit.close();
        } catch (IOException failed) {
            LOG.warn("cannot close the audit log", failed);
        }
    }
}
