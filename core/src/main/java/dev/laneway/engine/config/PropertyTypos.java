package dev.laneway.engine.config;

import dev.laneway.ConfigurationException;
import java.util.Map;
import java.util.Set;

/** Finds names of Kafka's properties that are nearly right. */
final class PropertyTypos {
    /** So many letters may be wrong. */
    private static final int DISTANCE = 2;

    private PropertyTypos() {}

    /**
     * Kafka ignores what it does not know, so that plug-ins may have properties; a name that is nearly right is a
     * mistake.
     */
    static void refuse(Map<String, Object> given, Set<String> known) {
        for (String name : given.keySet()) {
            if (!known.contains(name)) {
                known.stream()
                        .filter(right -> distance(name, right) <= DISTANCE)
                        .findFirst()
                        .ifPresent(right -> {
                            throw new ConfigurationException(
                                    name,
                                    SecretProperties.isSecret(right)
                                            ? "[hidden]"
                                            : SecretProperties.shown(name, given.get(name)),
                                    "Kafka knows no such property",
                                    "did you mean " + right + "?");
                        });
            }
        }
    }

    private static int distance(String a, String b) {
        if (Math.abs(a.length() - b.length()) > DISTANCE) {
            return Integer.MAX_VALUE;
        }
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int changed = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, 1 + Math.min(previous[j], row[j - 1]));
            }
            previous = row;
        }
        return previous[b.length()];
    }
}
