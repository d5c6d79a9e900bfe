package dev.laneway.kubernetes;

import dev.laneway.ConfigurationException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What has the members. Immutable.
 *
 * @param kind Deployment or StatefulSet
 */
record Workload(String namespace, Kind kind, String name) {
    private static final Pattern TEXT = Pattern.compile("([a-z]+)/([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)");
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    /** The kinds that have replicas which come and go one by one. */
    enum Kind {
        DEPLOYMENT("Deployment", "deployments"),
        STATEFULSET("StatefulSet", "statefulsets");

        final String word;
        final String plural;

        Kind(String word, String plural) {
            this.word = word;
            this.plural = plural;
        }
    }

    /** Of a command line: {@code deployment/shop}. */
    static Workload of(String namespace, String text) {
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new ConfigurationException(
                    "--namespace", namespace, "must be the name of a namespace", "write it like shop-production");
        }
        Matcher parts = TEXT.matcher(text);
        if (parts.matches()) {
            for (Kind kind : Kind.values()) {
                if (kind.word.toLowerCase(Locale.ROOT).equals(parts.group(1))) {
                    return new Workload(namespace, kind, parts.group(2));
                }
            }
        }
        throw new ConfigurationException(
                "--workload",
                text,
                "must be a deployment or a statefulset with its name",
                "write it like deployment/shop or statefulset/shop");
    }

    String scalePath() {
        return "/apis/apps/v1/namespaces/" + namespace + "/" + kind.plural + "/" + name + "/scale";
    }

    @Override
    public String toString() {
        return kind.word + " " + namespace + "/" + name;
    }
}
