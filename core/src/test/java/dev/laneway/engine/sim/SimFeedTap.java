package dev.laneway.engine.sim;

import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Map;
import java.util.function.LongPredicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Sits between an engine that feeds a stream and its simulated consumer, and shows the checks what passes. */
final class SimFeedTap implements ConsumerRebalanceListener {
    private final SimFeeder.Watch watch;
    private final ConsumerRebalanceListener engine;

    private SimFeedTap(SimFeeder.Watch watch, ConsumerRebalanceListener engine) {
        this.watch = watch;
        this.engine = engine;
    }

    @SuppressWarnings("unchecked")
    static Consumer<byte[], byte[]> on(Consumer<byte[], byte[]> client, SimFeeder member, SimFeeder.Watch watch) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                SimFeedTap.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                    String name = method.getName();
                    if (name.equals("subscribe") && arguments.length == 2) {
                        arguments[1] = new SimFeedTap(watch, (ConsumerRebalanceListener) arguments[1]);
                    } else if (name.startsWith("commit") && !name.equals("committed") && !member.isDead()) {
                        ((Map<TopicPartition, OffsetAndMetadata>) arguments[0])
                                .forEach((id, offset) -> watch.commits(id, offset.offset(), done(id, offset)));
                    }
                    try {
                        return method.invoke(client, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    /** What is done by an offset with a map, as the next owner reads it. */
    static LongPredicate done(TopicPartition id, OffsetAndMetadata by) {
        DecodedMetadata decoded = OffsetMap.decode(id, by.offset(), by.metadata());
        return offset -> offset < by.offset() || (decoded instanceof DecodedMetadata.Map map && map.isDone(offset));
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> ids) {
        watch.assigned(ids);
        engine.onPartitionsAssigned(ids);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> ids) {
        watch.revoking(ids);
        try {
            engine.onPartitionsRevoked(ids);
        } finally {
            watch.gone(ids);
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> ids) {
        watch.revoking(ids);
        try {
            engine.onPartitionsLost(ids);
        } finally {
            watch.gone(ids);
        }
    }
}
