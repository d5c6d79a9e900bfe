package dev.laneway.bench.measure;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.HashMap;
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

    /** The same arm with another workload. */
    public ArmSpec doing(String other) {
        return new ArmSpec(other, peer, bootstrap, topic, group, records, partitions, keys, params);
    }

    /** The same arm with another topic, of so many records. */
    public ArmSpec reading(String other, long count) {
        return new ArmSpec(workload, peer, bootstrap, other, group, count, partitions, keys, params);
    }

    /** The same arm with one more parameter. */
    public ArmSpec with(String name, String value) {
        Map<String, String> more = new HashMap<>(params);
        more.put(name, value);
        return new ArmSpec(workload, peer, bootstrap, topic, group, records, partitions, keys, more);
    }

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
