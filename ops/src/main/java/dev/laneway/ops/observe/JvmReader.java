package dev.laneway.ops.observe;

import java.io.IOException;
import java.lang.management.MemoryUsage;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;

/** Reads {@link Groups#JVM} of a JVM, this one or another. */
final class JvmReader {
    private JvmReader() {}

    static void read(MBeanServerConnection jvm, SampleBuilder into) throws IOException, JMException {
        boolean collected = collectors(jvm, into);
        memory(jvm, into, collected);
        Map<String, Object> system =
                attributes(jvm, name("java.lang:type=OperatingSystem"), "ProcessCpuTime", "AvailableProcessors");
        if (system.get("ProcessCpuTime") instanceof Long nanos && nanos >= 0) { // -1 where the system does not tell.
            into.put(Metric.of(Groups.JVM, "process-cpu-ns-total"), nanos);
        }
        into.put(Metric.of(Groups.JVM, "available-processors"), system.get("AvailableProcessors"));
        into.put(
                Metric.of(Groups.JVM, "uptime-ms"),
                attributes(jvm, name("java.lang:type=Runtime"), "Uptime").get("Uptime"));
    }

    /** Returns whether a collection has ended. */
    private static boolean collectors(MBeanServerConnection jvm, SampleBuilder into) throws IOException, JMException {
        long collections = 0;
        for (ObjectName collector : names(jvm, "java.lang:type=GarbageCollector,*")) {
            Map<String, Object> told = attributes(jvm, collector, "CollectionTime", "CollectionCount");
            Map<String, String> tags = Map.of("gc", collector.getKeyProperty("name"));
            into.put(Metric.of(Groups.JVM, "gc-time-ms-total", tags), told.get("CollectionTime"));
            into.put(Metric.of(Groups.JVM, "gc-count-total", tags), told.get("CollectionCount"));
            collections += told.get("CollectionCount") instanceof Long count ? count : 0;
        }
        return collections > 0;
    }

    private static void memory(MBeanServerConnection jvm, SampleBuilder into, boolean collected)
            throws IOException, JMException {
        MemoryUsage heap = usage(attributes(jvm, name("java.lang:type=Memory"), "HeapMemoryUsage")
                .get("HeapMemoryUsage"));
        if (heap != null) {
            into.put(Metric.of(Groups.JVM, "heap-used-bytes"), heap.getUsed());
            if (heap.getMax() > 0) { // -1 where there is no limit.
                into.put(Metric.of(Groups.JVM, "heap-max-bytes"), heap.getMax());
            }
        }
        if (!collected) {
            return; // Pools would tell 0 bytes after a collection that has not been.
        }
        for (ObjectName pool : names(jvm, "java.lang:type=MemoryPool,*")) {
            Map<String, Object> told = attributes(jvm, pool, "Type", "CollectionUsage");
            MemoryUsage after = usage(told.get("CollectionUsage"));
            if (after != null && "HEAP".equals(told.get("Type"))) {
                into.put(
                        Metric.of(Groups.JVM, "heap-after-gc-bytes", Map.of("pool", pool.getKeyProperty("name"))),
                        after.getUsed());
            }
        }
    }

    private static @Nullable MemoryUsage usage(@Nullable Object told) {
        return told instanceof CompositeData data ? MemoryUsage.from(data) : null;
    }

    private static Iterable<ObjectName> names(MBeanServerConnection jvm, String pattern)
            throws IOException, JMException {
        Set<ObjectName> found = jvm.queryNames(name(pattern), null);
        Map<String, ObjectName> sorted = new TreeMap<>();
        found.forEach(name -> sorted.put(name.getCanonicalName(), name));
        return sorted.values();
    }

    static ObjectName name(String name) throws JMException {
        return new ObjectName(name);
    }

    /** Those of these attributes that the bean has; none if it has gone. */
    static Map<String, Object> attributes(MBeanServerConnection jvm, ObjectName bean, String... names)
            throws IOException, JMException {
        Map<String, Object> told = new HashMap<>();
        try {
            for (Attribute attribute : jvm.getAttributes(bean, names).asList()) {
                if (attribute.getValue() != null) {
                    told.put(attribute.getName(), attribute.getValue());
                }
            }
        } catch (InstanceNotFoundException gone) {
            return Map.of(); // Clients close and partitions move while they are read.
        }
        return told;
    }
}
