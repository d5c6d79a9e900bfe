package dev.laneway.ops.observe;

import dev.laneway.Health;
import dev.laneway.Laneway;
import dev.laneway.Snapshot;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * Shows a running Laneway to JMX, so that {@code laneway check --pid} and {@code --jmx} see from outside what
 * {@link LanewaySource} sees inside. It costs nothing until somebody reads it. Close it with the consumer:
 *
 * <pre>{@code
 * try (Laneway laneway = Laneway.consumer(config)....process(handler);
 *         var bean = LanewayBean.register("orders", laneway)) { ... }
 * }</pre>
 *
 * Thread-safe.
 */
public final class LanewayBean implements AutoCloseable {
    static final String DOMAIN = "dev.laneway";
    static final String TYPE = "laneway";
    static final String FIGURES = "Figures";

    private final ObjectName name;

    private LanewayBean(ObjectName name) {
        this.name = name;
    }

    /**
     * Registers a bean {@code dev.laneway:type=laneway,client-id=NAME} with the JVM's own JMX server.
     *
     * @param name which consumer of this process it is, for people; one that is taken gets a number behind it
     */
    public static LanewayBean register(String name, Laneway laneway) {
        StandardMBean bean = bean(laneway::snapshot, laneway::health);
        try {
            for (int i = 1; ; i++) {
                ObjectName free = name(TYPE, Map.of("client-id", i == 1 ? name : name + "-" + i));
                if (isRegistered(bean, free)) {
                    return new LanewayBean(free);
                }
            }
        } catch (JMException impossible) {
            throw new IllegalStateException("a bean that JMX refuses", impossible);
        }
    }

    private static boolean isRegistered(StandardMBean bean, ObjectName name) throws JMException {
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
            return true;
        } catch (InstanceAlreadyExistsException taken) {
            return false;
        }
    }

    /** The same figures as open data, so that reading them here and over JMX is one thing. */
    static StandardMBean bean(Supplier<Snapshot> snapshot, Supplier<Health> health) {
        LanewayMXBean figures = () -> LanewayFigures.of(snapshot.get(), health.get());
        return new StandardMBean(figures, LanewayMXBean.class, true);
    }

    /** A bean's name; values are quoted where they must be. */
    static ObjectName name(String type, Map<String, String> tags) throws JMException {
        StringBuilder name = new StringBuilder(DOMAIN).append(":type=").append(type);
        new TreeMap<>(tags)
                .forEach((key, value) -> name.append(',')
                        .append(key)
                        .append('=')
                        .append(value.matches("[\\w.-]+") ? value : ObjectName.quote(value)));
        return new ObjectName(name.toString());
    }

    /** JMX shows it no more; the consumer goes on. */
    @Override
    public void close() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (InstanceNotFoundException gone) {
            // Closed twice.
        } catch (JMException impossible) {
            throw new IllegalStateException("a bean that JMX does not let go", impossible);
        }
    }
}
