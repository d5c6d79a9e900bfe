package dev.laneway.ops.observe;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The node times of one topology, by thread and node, and their beans, as long as a processor uses them. Thread-safe.
 */
final class NodeRegistry {
    private record Key(Thread thread, String node) {}

    private final Map<Key, NodeTimes> open = new HashMap<>();
    private final Map<Thread, NodeTimes.Inner> inner = new HashMap<>();

    /** The times of a node on the current thread, for one more processor. */
    synchronized NodeTimes open(String node) {
        Thread thread = Thread.currentThread();
        NodeTimes times = open.computeIfAbsent(new Key(thread, node), _ -> {
            NodeTimes made = new NodeTimes(thread, node, inner.computeIfAbsent(thread, _ -> new NodeTimes.Inner()));
            register(made);
            return made;
        });
        times.users++;
        return times;
    }

    /** One processor uses them no more. */
    synchronized void close(NodeTimes times) {
        times.users--;
        if (times.users == 0) {
            open.remove(new Key(times.thread, times.node));
            unregister(times);
            if (open.keySet().stream().noneMatch(key -> key.thread.equals(times.thread))) {
                inner.remove(times.thread);
            }
        }
    }

    private static void register(NodeTimes times) {
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(times, name(times));
        } catch (InstanceAlreadyExistsException other) {
            // Another topology has a node and a thread of these names, as in tests: JMX shows the first.
        } catch (JMException impossible) {
            throw new IllegalStateException("a bean that JMX refuses", impossible);
        }
    }

    private static void unregister(NodeTimes times) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name(times));
        } catch (InstanceNotFoundException gone) {
            // It was another topology's.
        } catch (JMException impossible) {
            throw new IllegalStateException("a bean that JMX does not let go", impossible);
        }
    }

    private static ObjectName name(NodeTimes times) throws JMException {
        return LanewayBean.name(
                Groups.NODE, Map.of("thread-id", times.thread.getName(), "processor-node-id", times.node));
    }
}
