package dev.laneway.ops.observe;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the user tells of the members' configuration, which no metric does. Only what rules ask for is kept: the same
 * file may hold passwords, and a recording must not.
 */
public final class GivenConfig implements Source {
    private static final List<String> KEYS = List.of(
            "application.id",
            "disk.bytes.cap",
            "disk.iops.cap",
            "heartbeat.interval.ms",
            "max.poll.interval.ms",
            "max.poll.records",
            "num.standby.replicas",
            "num.stream.threads",
            "rocksdb.config.setter",
            "session.timeout.ms",
            "state.dir",
            "statestore.cache.max.bytes");

    private final Map<String, String> known = new TreeMap<>();

    /** @param config properties of a consumer, or of Kafka Streams; and of its disks, see {@link Groups#CONFIG} */
    public GivenConfig(Map<String, ?> config) {
        KEYS.stream().filter(config::containsKey).forEach(key -> known.put(key, String.valueOf(config.get(key))));
    }

    @Override
    public String name() {
        return "given configuration";
    }

    @Override
    public Sample read(Duration limit) {
        SampleBuilder sample = new SampleBuilder();
        known.forEach((key, value) -> sample.put(Groups.CONFIG, key, value));
        return sample.build(name(), System.currentTimeMillis());
    }

    @Override
    public void close() {}
}
