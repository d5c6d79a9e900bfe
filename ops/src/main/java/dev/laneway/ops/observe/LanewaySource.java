package dev.laneway.ops.observe;

import dev.laneway.Health;
import dev.laneway.Laneway;
import dev.laneway.Snapshot;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.StandardMBean;
import javax.management.openmbean.CompositeData;

/**
 * A running Laneway of this process: its snapshot and health as {@link Groups#LANEWAY} and
 * {@link Groups#LANEWAY_PARTITION}, and {@link Groups#JVM}. Reading never waits for the consumer. The handle stays its
 * owner's.
 */
public final class LanewaySource implements Source {
    private final String name;
    private final StandardMBean bean;
    private final LongSupplier clock = System::currentTimeMillis;

    private LanewaySource(String name, StandardMBean bean) {
        this.name = name;
        this.bean = bean;
    }

    /**
     * A source of one consumer, also of one that has ended.
     *
     * @param name which one it is, for people
     */
    public static LanewaySource of(String name, Laneway laneway) {
        return of(name, laneway::snapshot, laneway::health);
    }

    /**
     * The same of somebody who has a snapshot already, and needs none to be made for this.
     *
     * @param snapshot asked at each reading, as {@code health} is
     */
    public static LanewaySource of(String name, Supplier<Snapshot> snapshot, Supplier<Health> health) {
        return new LanewaySource(name, LanewayBean.bean(snapshot, health));
    }

    @Override
    public String name() {
        return name;
    }

    /** Reads everything from memory, so the limit is never reached. */
    @Override
    public Sample read(Duration limit) {
        SampleBuilder sample = new SampleBuilder();
        try {
            LanewayReader.read((CompositeData) bean.getAttribute(LanewayBean.FIGURES), name, sample);
            JvmReader.read(ManagementFactory.getPlatformMBeanServer(), sample);
        } catch (IOException | JMException | RuntimeException failed) {
            throw new SourceFailure(name + " does not tell its figures (" + Reasons.of(failed) + ")", failed);
        }
        return sample.build(name, clock.getAsLong());
    }

    @Override
    public void close() {}
}
