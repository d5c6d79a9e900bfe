package dev.laneway.ills;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a member is to do: names and values, from its command line. Immutable. */
record Settings(Map<String, String> values) {
    private static final String KAFKA = "kafka.";

    Settings {
        values = Map.copyOf(values);
    }

    static Settings parse(String... arguments) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "'" + argument + "' is no setting of a member: write it like name=value");
            }
            values.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        return new Settings(values);
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("a member needs the setting " + name + ": give " + name + "=value");
        }
        return value;
    }

    String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    long number(String name, long otherwise) {
        return values.containsKey(name) ? Long.parseLong(text(name)) : otherwise;
    }

    List<String> list(String name) {
        return values.containsKey(name) ? List.of(text(name).split(",")) : List.of();
    }

    /** Properties of Kafka's clients, which override what the kind of member sets itself. */
    Map<String, Object> kafka() {
        Map<String, Object> properties = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith(KAFKA)) {
                properties.put(name.substring(KAFKA.length()), value);
            }
        });
        return properties;
    }
}
