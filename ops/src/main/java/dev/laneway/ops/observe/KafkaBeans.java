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

/** Reads all metrics of all Kafka clients of a JVM, with the names that they have in the JVM itself. */
final class KafkaBeans {
    private static final List<String> DOMAINS =
            List.of("kafka.consumer", "kafka.producer", "kafka.streams", "kafka.admin.client");

    private KafkaBeans() {}

    /** @param step is told how far it is */
    static void read(MBeanServerConnection jvm, SampleBuilder into, Consumer<String> step)
            throws IOException, JMException {
        List<ObjectName> beans = new ArrayList<>();
        for (String domain : DOMAINS) {
            beans.addAll(jvm.queryNames(JvmReader.name(domain + ":*"), null));
        }
        for (int i = 0; i < beans.size(); i++) {
            step.accept("it had told " + i + " of " + beans.size() + " beans");
            read(jvm, beans.get(i), into);
        }
    }

    private static void read(MBeanServerConnection jvm, ObjectName bean, SampleBuilder into)
            throws IOException, JMException {
        Map<String, String> tags = new HashMap<>(bean.getKeyPropertyList());
        String group = tags.remove("type");
        if (group == null || isOldAppInfo(group, tags)) {
            return;
        }
        tags.replaceAll((_, value) -> value.startsWith("\"") ? ObjectName.unquote(value) : value);
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
