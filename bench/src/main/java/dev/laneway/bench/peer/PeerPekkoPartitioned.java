package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.kafka.Subscriptions;
import org.apache.pekko.kafka.javadsl.Consumer;
import org.apache.pekko.kafka.javadsl.Consumer.DrainingControl;
import org.apache.pekko.stream.javadsl.Sink;

/** Pekko connectors with a source for each partition: {@code plainPartitionedSource}, merged, no commits. */
final class PeerPekkoPartitioned implements Peer {
    @Override
    public Order order(Task task) {
        return Order.PARTITION;
    }

    @Override
    public boolean commits(Task task) {
        return false;
    }

    @Override
    public Running start(Task task) {
        ActorSystem system = PeerPekko.system();
        DrainingControl<Done> control = Consumer.plainPartitionedSource(
                        PeerPekko.settings(system, task.kafkaConfig()), Subscriptions.topics(task.topic()))
                .flatMapMerge(task.partitions(), Pair::second)
                .map(record -> {
                    task.probe().handle(record);
                    return record;
                })
                .toMat(Sink.ignore(), Consumer::createDrainingControl)
                .run(system);
        return new PeerPekko.Streaming(system, control);
    }
}
