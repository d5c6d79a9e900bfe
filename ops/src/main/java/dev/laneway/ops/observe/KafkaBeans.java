package dev.laneway.ops.observe;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * Reads all metrics of all Kafka clients and timed processors of a JVM, with the names that they have in the JVM
 * itself.
 */
final class KafkaBeans {
    /** What a {@link NodeTimer} tells. */
    static final String NODES = LanewayBean.DOMAIN + ":type=" + Groups.NODE + ",*";

    private static final List<String> PATTERNS =
            List.of("kafka.consumer:*", "kafka.producer:*", "kafka.streams:*", "kafka.admin.client:*", NODES);

    private KafkaBeans() {}

    /** @param step is told how far it is */
    static void read(MBeanServerConnection jvm, SampleBuilder into, Consumer<String> step)
            throws IOException, JMException {
        List<ObjectName> beans = new ArrayList<>();
        for (String pattern : PATTERNS) {
            beans.addAll(jvm.queryNames(JvmReader.name(pattern), null));
        }
        for (int i = 0; i < beans.size(); i++) {
            step.accept("it had told " + i + " of " + beans.size() + " beans");
            read(jvm, beans.get(i), into);
        }
    }

    /** What a bean's name tells beside its domain, unquoted. */
    static Map<String, String> tags(ObjectName bean) {
        Map<String, String> tags = new HashMap<>(bean.getKeyPropertyList());
        tags.replaceAll((_, value) -> value.startsWith("\"") ? ObjectName.unquote(value) : value);
        return tags;
    }

    static void read(MBeanServerConnection jvm, ObjectName bean, SampleBuilder into) throws IOException, JMException {
        Map<String, String> tags = tags(bean);
        String group = tags.remove("type");
        if (group == null || isOldAppInfo(group, tags)) {
            return;
        }
        try {
            String[] names = Arrays.stream(jvm.getMBeanInfo(bean).getAttributes())
                    .map(MBeanAttributeInfo::getName)
                    .toArray(String[]::new);
            JvmReader.attributes(jvm, bean, names)
                    .forEach((name, value) -> into.put(Metric.of(group, name, tags), value));
        } catch (InstanceNotFoundException gone) {
            // Clients close and partitions move while they are read.
        }
    }

    /** Bean app-info with an id tells what app-info with a client-id tells, under other names. */
    private static boolean isOldAppInfo(String group, Map<String, String> tags) {
        return group.equals("app-info") && tags.containsKey("id");
    }
}
