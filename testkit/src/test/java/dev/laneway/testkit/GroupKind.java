package dev.laneway.testkit;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.jspecify.annotations.Nullable;

/** The three ways in which a consumer group shares out its partitions. */
public enum GroupKind {
    EAGER("classic", RangeAssignor.class),
    COOPERATIVE("classic", CooperativeStickyAssignor.class),
    CONSUMER("consumer", null);

    private final String protocol;
    private final @Nullable Class<?> assignor;

    GroupKind(String protocol, @Nullable Class<?> assignor) {
        this.protocol = protocol;
        this.assignor = assignor;
    }

    public Map<String, Object> with(Map<String, ?> more) {
        Map<String, Object> all = new TreeMap<>();
        all.put("enable.auto.commit", false);
        all.put("auto.offset.reset", "earliest");
        all.put("group.protocol", protocol);
        if (assignor != null) {
            all.put("partition.assignment.strategy", assignor.getName());
        }
        all.putAll(more);
        return all;
    }
}
