package dev.laneway.engine;

import dev.laneway.Health;
import dev.laneway.LanewayObserver;
import dev.laneway.Snapshot;
import dev.laneway.engine.runtime.TracedRecords;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/** A consumer as its observers may ask about it. Immutable. */
record ObservedConsumer(String name, @Nullable String groupId, RunningConsumer handle, List<Member> members)
        implements LanewayObserver.Subject {
    @Override
    public Optional<String> group() {
        return Optional.ofNullable(groupId);
    }

    @Override
    public Snapshot snapshot() {
        return handle.snapshot();
    }

    @Override
    public Health health() {
        return handle.health();
    }

    @Override
    public Map<MetricName, Metric> clientMetrics() {
        Map<MetricName, Metric> all = new HashMap<>();
        members.forEach(member -> all.putAll(member.engine().clientMetrics()));
        return all;
    }

    @Override
    public boolean clientsAreTraced() {
        return TracedRecords.areTraced();
    }
}
