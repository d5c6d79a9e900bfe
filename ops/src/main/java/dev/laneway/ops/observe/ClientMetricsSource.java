package dev.laneway.ops.observe;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.common.MetricName;

/**
 * The metrics of one Kafka client of this process, such as {@code KafkaConsumer::metrics} or
 * {@code KafkaStreams::metrics}, {@link Groups#JVM} of this process, and {@link Groups#NODE} where a {@link NodeTimer}
 * times the client's processors. Reading is safe while the client is used by its own thread. Threads are not sampled: a
 * {@link JmxSource} of this process does that.
 */
public final class ClientMetricsSource implements Source {
    private final String name;
    private final Supplier<? extends Map<MetricName, ? extends org.apache.kafka.common.Metric>> metrics;
    private final LongSupplier clock = System::currentTimeMillis;

    private ClientMetricsSource(
            String name, Supplier<? extends Map<MetricName, ? extends org.apache.kafka.common.Metric>> metrics) {
        this.name = name;
        this.metrics = metrics;
    }

    /**
     * A source of one client.
     *
     * @param name which client it is, for people
     * @param metrics called at each read
     */
    public static ClientMetricsSource of(
            String name, Supplier<? extends Map<MetricName, ? extends org.apache.kafka.common.Metric>> metrics) {
        return new ClientMetricsSource(name, metrics);
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * Reads everything from memory, so the limit is never reached. A metric that fails, as those of a client that is
     * being closed may, is left out.
     *
     * @throws SourceFailure if the client does not tell its metrics at all
     */
    @Override
    public Sample read(Duration limit) {
        SampleBuilder sample = new SampleBuilder();
        try {
            Set<String> threads = new HashSet<>();
            metrics.get().forEach((of, metric) -> {
                put(of, metric, sample);
                threads.add(of.tags().getOrDefault("thread-id", ""));
            });
            MBeanServer jvm = ManagementFactory.getPlatformMBeanServer();
            JvmReader.read(jvm, sample);
            for (ObjectName bean : jvm.queryNames(JvmReader.name(KafkaBeans.NODES), null)) {
                if (threads.contains(KafkaBeans.tags(bean).getOrDefault("thread-id", ""))) {
                    KafkaBeans.read(jvm, bean, sample);
                }
            }
        } catch (IOException | JMException | RuntimeException failed) {
            throw new SourceFailure(
                    name + " does not tell its metrics (" + Reasons.of(failed) + "): give a client that is not closed",
                    failed);
        }
        return sample.build(name, clock.getAsLong());
    }

    private static void put(MetricName of, org.apache.kafka.common.Metric metric, SampleBuilder sample) {
        try {
            sample.put(Metric.of(of.group(), of.name(), of.tags()), metric.metricValue());
        } catch (RuntimeException closed) {
            // A gauge asks the client's parts, which may have gone.
        }
    }

    @Override
    public void close() {}
}
