package dev.laneway.bench.measure;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Map;

/**
 * The task of one arm, as its JVM gets it. Immutable.
 *
 * @param group the prefix of its consumer groups
 * @param records how many the topic holds
 */
public record ArmSpec(
        String workload,
        String peer,
        String bootstrap,
        String topic,
        String group,
        long records,
        int partitions,
        int keys,
        Map<String, String> params) {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static ArmSpec of(String json) {
        try {
            return JSON.readValue(json, ArmSpec.class);
        } catch (JsonProcessingException wrong) {
            throw new IllegalArgumentException("no arm is described by " + json, wrong);
        }
    }

    public String toJson() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    public String text(String name) {
        String value = params.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the arm is not told " + name + ": " + this);
        }
        return value;
    }

    public long number(String name, long otherwise) {
        String value = params.get(name);
        return value == null ? otherwise : Long.parseLong(value);
    }

    public long number(String name) {
        return Long.parseLong(text(name));
    }

    /** From a parameter in milliseconds. */
    public Duration millis(String name) {
        return Duration.ofMillis(number(name));
    }
}
