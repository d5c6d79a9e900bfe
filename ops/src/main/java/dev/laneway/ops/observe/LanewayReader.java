package dev.laneway.ops.observe;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/** Makes metrics of the figures of running Laneways, which are open data wherever they come from. */
final class LanewayReader {
    private static final Map<String, String> HYPHENS = new ConcurrentHashMap<>();

    private LanewayReader() {}

    /** Those of all Laneways that a JVM shows. */
    static void read(MBeanServerConnection jvm, SampleBuilder into) throws IOException, JMException {
        ObjectName all = JvmReader.name(LanewayBean.DOMAIN + ":type=" + LanewayBean.TYPE + ",*");
        for (ObjectName bean : jvm.queryNames(all, null)) {
            String client = KafkaBeans.tags(bean).getOrDefault("client-id", "");
            Object figures =
                    JvmReader.attributes(jvm, bean, LanewayBean.FIGURES).get(LanewayBean.FIGURES);
            if (figures instanceof CompositeData data) {
                read(data, client, into);
            }
        }
    }

    static void read(CompositeData figures, String client, SampleBuilder into) {
        put(figures, Groups.LANEWAY, Map.of("client-id", client), into);
        if (figures.get("reasons") instanceof String[] reasons) {
            into.put(Groups.LANEWAY, "reasons", Map.of("client-id", client), String.join("\n", reasons));
        }
        if (figures.get("partitions") instanceof CompositeData[] partitions) {
            for (CompositeData part : partitions) {
                Map<String, String> tags = Map.of(
                        "client-id",
                        client,
                        "topic",
                        String.valueOf(part.get("topic")),
                        "partition",
                        String.valueOf(part.get("partition")));
                put(part, Groups.LANEWAY_PARTITION, tags, into);
            }
        }
    }

    private static void put(CompositeData figures, String group, Map<String, String> tags, SampleBuilder into) {
        Metric any = Metric.of(group, "", tags);
        for (String item : figures.getCompositeType().keySet()) {
            if (!tags.containsKey(item)) {
                into.put(any.named(hyphens(item)), figures.get(item));
            }
        }
    }

    private static String hyphens(String camelCase) {
        return HYPHENS.computeIfAbsent(
                camelCase, name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
    }
}
