package dev.laneway.ops.observe;

import dev.laneway.Laneway;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.LongSupplier;
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
        return new LanewaySource(name, LanewayBean.bean(laneway));
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
