package dev.laneway.keda;

import dev.laneway.ops.observe.PrometheusSource;
import dev.laneway.ops.scale.ScalingOption;
import dev.laneway.ops.scale.ScalingPolicy;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A trigger of a ScaledObject: which group, by which policy. Immutable.
 *
 * @param name namespace, ScaledObject and group
 * @param endpoints where members tell how busy they are: URLs of which each address counts
 */
record Trigger(String name, String group, ScalingPolicy policy, List<String> endpoints) {
    private static final String GROUP = "group";
    private static final String ENDPOINTS = "prometheus-each";
    /** What a trigger tells KEDA itself. */
    private static final Set<String> OF_KEDA =
            Set.of("scalerAddress", "enableTLS", "unsafeSsl", "caCert", "tlsCertFile", "tlsClientCert", "tlsClientKey");
    /** What a scaler cannot change. */
    private static final Set<String> OF_ACTORS =
            Set.of("concurrency.max", "threads.max", "memory.max.bytes", "cores.max");

    private static final Pattern OBJECT = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final int MOST_ENDPOINTS = 10;
    private static final int MOST_NAME = 60;
    private static final int DIGEST_BYTES = 8;

    Trigger {
        endpoints = List.copyOf(endpoints);
    }

    /**
     * Reads the metadata.
     *
     * @param usual the policy, where the metadata has no other value
     * @param isOftenEnough whether members are ever removed by a policy
     * @throws IllegalArgumentException if it is wrong; says the remedy
     */
    static Trigger of(ScaledObjectRef asks, ScalingPolicy usual, Predicate<ScalingPolicy> isOftenEnough) {
        object("name", asks.name());
        object("namespace", asks.namespace());
        Map<String, String> rest = new TreeMap<>(asks.metadata());
        rest.keySet().removeAll(OF_KEDA);
        String group = rest.getOrDefault(GROUP, "");
        if (group.isBlank()) {
            throw new IllegalArgumentException("metadata has no group: name the consumer group, such as group: shop");
        }
        List<String> endpoints = endpoints(rest.getOrDefault(ENDPOINTS, ""));
        rest.keySet().removeAll(Set.of(GROUP, ENDPOINTS));
        ScalingPolicy policy = policy(rest, usual, isOftenEnough);
        return new Trigger(asks.namespace() + "/" + asks.name() + " " + group, group, policy, endpoints);
    }

    private static void object(String what, String value) {
        if (!OBJECT.matcher(value).matches()) {
            throw new IllegalArgumentException("the ScaledObject's " + what + " is '" + value
                    + "' but must be one of Kubernetes: ask as KEDA does");
        }
    }

    private static List<String> endpoints(String text) {
        List<String> urls = Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(url -> !url.isEmpty())
                .toList();
        if (urls.size() > MOST_ENDPOINTS) {
            throw new IllegalArgumentException(ENDPOINTS + " has " + urls.size() + " URLs but may have at most "
                    + MOST_ENDPOINTS + ": name one service with all pods behind it");
        }
        urls.forEach(url -> PrometheusSource.of(url).close());
        return urls;
    }

    private static ScalingPolicy policy(
            Map<String, String> own, ScalingPolicy usual, Predicate<ScalingPolicy> isOftenEnough) {
        Map<String, String> all = new TreeMap<>(usual.given());
        all.putAll(own);
        ScalingPolicy policy = ScalingPolicy.of(all);
        for (ScalingOption option : ScalingOption.values()) {
            if (OF_ACTORS.contains(option.key()) && policy.get(option) > 0) {
                throw new IllegalArgumentException(option.key() + " is " + all.get(option.key())
                        + " but must be 0, since KEDA changes the number of members only: leave it out");
            }
        }
        if (!isOftenEnough.test(policy)) {
            throw new IllegalArgumentException("down.interval.seconds is "
                    + Math.round(policy.get(ScalingOption.DOWN_INTERVAL))
                    + " but must be at least ten times the scaler's --interval, or no member is ever removed: raise"
                    + " it");
        }
        return policy;
    }

    /** The name of its decision log: one that a file may have, and another one for each trigger. */
    String fileName() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            String plain = name.replaceAll("[^-A-Za-z0-9.]", "-");
            return plain.substring(0, Math.min(MOST_NAME, plain.length())) + "-"
                    + HexFormat.of().formatHex(digest, 0, DIGEST_BYTES) + ".jsonl";
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("each Java has SHA-256", missing);
        }
    }
}
