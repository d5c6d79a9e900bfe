package dev.laneway.engine.sim;

import dev.laneway.engine.RecreatedTopics;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.Uuid;

/** Tells a process's member which topics there are, as the thread does that asks the cluster. */
final class SimTopicLook {
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final SimProcess process;
    private final RecreatedTopics topics;

    SimTopicLook(SimProcess process) {
        this.process = process;
        this.topics = new RecreatedTopics(
                process.parts.core().conditions(),
                partition -> process.parts.core().inbox().add(new Event.Recreated(partition)));
    }

    void begin() {
        process.world.sim.clock().schedule(PAUSE, this::look);
    }

    private void look() {
        if (process.isEnded()) {
            return;
        }
        Map<String, Optional<Uuid>> ids = new HashMap<>();
        process.world.plan.topics.forEach(topic -> ids.put(topic, process.world.logs.topicId(topic)));
        List<Partition> assigned = process.parts.core().assignment().all();
        topics.look(ids, assigned);
        for (Partition partition : assigned) {
            SimEpoch epoch = process.epoch(partition.id);
            if (epoch != null) {
                epoch.isOfDeletedTopic = partition.isOfDeletedTopic;
                if (!partition.isOfDeletedTopic) {
                    process.world.logs.told(epoch);
                }
            }
        }
        begin();
    }
}
