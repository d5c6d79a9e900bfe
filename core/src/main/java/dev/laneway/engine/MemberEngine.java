package dev.laneway.engine;

import dev.laneway.engine.runtime.ListenerCall;
import dev.laneway.engine.runtime.OwnerLoop;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/** A member of a group: its turns for the owner, and for any thread what it tells. */
public interface MemberEngine extends OwnerLoop {
    MemberTurns turns();

    default MemberCore core() {
        return turns().core();
    }

    /** The rebalance listener, while it runs. */
    ListenerCall listenerCall();

    /** What does not work as it should although it goes on, in words. */
    List<String> troubles();

    /** Whether partitions are its own, so that they can be paused and sought; else its group shares them by record. */
    boolean ownsPartitions();

    /** Those of its Kafka client; any thread. */
    Map<MetricName, ? extends Metric> clientMetrics();

    /** Closes the client, where no owner has begun. */
    void closeUnstarted();
}
