package dev.laneway.cli.watch;

import dev.laneway.ConfigurationException;
import dev.laneway.ops.LagOptions;
import dev.laneway.ops.RecordProbe;
import dev.laneway.ops.observe.AdminSource;
import dev.laneway.ops.observe.GivenConfig;
import dev.laneway.ops.observe.HostSource;
import dev.laneway.ops.observe.JmxSource;
import dev.laneway.ops.observe.KeySource;
import dev.laneway.ops.observe.PrometheusSource;
import dev.laneway.ops.observe.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * What a check looks at. Immutable.
 *
 * @param group null if only processes are
 * @param keys whether keys of records are counted where the group is behind
 */
public record CheckInputs(
        @Nullable String group, List<Long> pids, List<String> jmx, List<String> prometheus, boolean keys) {
    /** Copies the lists. */
    public CheckInputs {
        pids = List.copyOf(pids);
        jmx = List.copyOf(jmx);
        prometheus = List.copyOf(prometheus);
    }

    /** Whether there is nothing to look at. */
    public boolean isEmpty() {
        return group == null && pids.isEmpty() && jmx.isEmpty() && prometheus.isEmpty();
    }

    /** Refuses addresses that are none before anything is connected. */
    public void check() {
        for (String url : jmx) {
            refuse("--jmx", url, () -> JmxSource.ofUrl(url).close());
        }
        for (String url : prometheus) {
            refuse("--prometheus", url, () -> PrometheusSource.of(url).close());
        }
    }

    static void refuse(String option, String value, Runnable making) {
        try {
            making.run();
        } catch (IllegalArgumentException wrong) {
            throw new ConfigurationException(option, value, String.valueOf(wrong.getMessage()), "see --help");
        }
    }

    /**
     * Makes the sources.
     *
     * @param admin null if there is no group
     * @param config how to connect, and what the user tells of the members' configuration
     */
    public List<Source> sources(@Nullable Admin admin, Map<String, ?> config, Duration limit) {
        List<Source> sources = new ArrayList<>();
        sources.add(new GivenConfig(config));
        if (admin != null && group != null) {
            AdminSource lag = new AdminSource(
                    admin, group, new LagOptions(IsolationLevel.READ_UNCOMMITTED, limit), RecordProbe.NONE);
            sources.add(lag);
            if (keys) {
                sources.add(KeySource.of(lag, config));
            }
        }
        for (long pid : pids) {
            sources.add(JmxSource.ofPid(pid));
            sources.add(HostSource.ofPid(pid));
        }
        jmx.forEach(url -> sources.add(JmxSource.ofUrl(url)));
        prometheus.forEach(url -> sources.add(PrometheusSource.of(url)));
        return sources;
    }
}
