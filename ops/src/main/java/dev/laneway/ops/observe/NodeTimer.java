package dev.laneway.ops.observe;

import java.util.Set;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.ProcessorWrapper;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.WrappedFixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.WrappedProcessorSupplier;
import org.apache.kafka.streams.state.StoreBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Times each processor node of a Kafka Streams application, which its own metrics do at DEBUG only and not one node
 * apart from those behind it (KIP-1112). Set {@code processor.wrapper.class} to this class, and make the topology with
 * that configuration: {@code new StreamsBuilder(new TopologyConfig(new StreamsConfig(config)))}. It reads the clock
 * twice for each call and allocates nothing.
 *
 * <p>The times are {@link Groups#NODE}: beans {@code dev.laneway:type=processor-node-times,...} of the JVM, which
 * {@link JmxSource} and {@link ClientMetricsSource} read. A node's time is that of its {@code process}, without the
 * nodes behind it; sources, sinks and punctuators are not timed. Made by Kafka Streams; thread-safe.
 */
public final class NodeTimer implements ProcessorWrapper {
    private final NodeRegistry registry = new NodeRegistry();

    @Override
    public <K, V, L, W> WrappedProcessorSupplier<K, V, L, W> wrapProcessorSupplier(
            String node, ProcessorSupplier<K, V, L, W> supplier) {
        return new WrappedProcessorSupplier<>() {
            @Override
            public Processor<K, V, L, W> get() {
                return new Timed<>(new NodeClock(registry, node), supplier.get());
            }

            @Override
            public @Nullable Set<StoreBuilder<?>> stores() {
                return supplier.stores();
            }
        };
    }

    @Override
    public <K, V, W> WrappedFixedKeyProcessorSupplier<K, V, W> wrapFixedKeyProcessorSupplier(
            String node, FixedKeyProcessorSupplier<K, V, W> supplier) {
        return new WrappedFixedKeyProcessorSupplier<>() {
            @Override
            public FixedKeyProcessor<K, V, W> get() {
                return new TimedFixedKey<>(new NodeClock(registry, node), supplier.get());
            }

            @Override
            public @Nullable Set<StoreBuilder<?>> stores() {
                return supplier.stores();
            }
        };
    }

    private record Timed<K, V, L, W>(NodeClock clock, Processor<K, V, L, W> processor)
            implements Processor<K, V, L, W> {
        @Override
        public void init(ProcessorContext<L, W> context) {
            clock.open();
            processor.init(context);
        }

        @Override
        public void process(Record<K, V> record) {
            NodeTimes times = clock.times();
            long outer = times.enter();
            long start = System.nanoTime();
            try {
                processor.process(record);
            } finally {
                times.leave(outer, System.nanoTime() - start);
            }
        }

        @Override
        public void close() {
            try {
                processor.close();
            } finally {
                clock.close();
            }
        }
    }

    private record TimedFixedKey<K, V, W>(NodeClock clock, FixedKeyProcessor<K, V, W> processor)
            implements FixedKeyProcessor<K, V, W> {
        @Override
        public void init(FixedKeyProcessorContext<K, W> context) {
            clock.open();
            processor.init(context);
        }

        @Override
        public void process(FixedKeyRecord<K, V> record) {
            NodeTimes times = clock.times();
            long outer = times.enter();
            long start = System.nanoTime();
            try {
                processor.process(record);
            } finally {
                times.leave(outer, System.nanoTime() - start);
            }
        }

        @Override
        public void close() {
            try {
                processor.close();
            } finally {
                clock.close();
            }
        }
    }
}
