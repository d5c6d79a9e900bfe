package dev.laneway.ills;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.DoubleStream;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What the beans of a process say at one moment: the numbers of Kafka's, of the collectors, of the processor. */
record Beans(Map<String, Double> numbers) {
    @SuppressWarnings("BanJNDI") // The address is that of a process that this one has started.
    static Beans of(long pid) throws IOException, AttachNotSupportedException, JMException {
        VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
        String address;
        try {
            address = machine.startLocalManagementAgent();
        } finally {
            machine.detach();
        }
        Map<String, Double> numbers = new HashMap<>();
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            for (ObjectName name : beans.queryNames(new ObjectName("kafka.*:*"), null)) {
                for (var attribute : beans.getMBeanInfo(name).getAttributes()) {
                    put(numbers, beans, name, attribute.getName());
                }
            }
            for (ObjectName name : beans.queryNames(new ObjectName("java.lang:type=GarbageCollector,*"), null)) {
                put(numbers, beans, name, "CollectionTime");
                put(numbers, beans, name, "CollectionCount");
            }
            ObjectName system = new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME);
            put(numbers, beans, system, "ProcessCpuTime");
            ObjectName memory = new ObjectName(ManagementFactory.MEMORY_MXBEAN_NAME);
            numbers.put("heap|max", heap(beans, memory, "max"));
            double live = 0;
            for (ObjectName name : beans.queryNames(new ObjectName("java.lang:type=MemoryPool,*"), null)) {
                Object after = beans.getAttribute(name, "CollectionUsage");
                if (after instanceof CompositeData data && "HEAP".equals(beans.getAttribute(name, "Type"))) {
                    live += ((Number) data.get("used")).doubleValue();
                }
            }
            numbers.put("heap|live", live);
        }
        return new Beans(numbers);
    }

    private static double heap(MBeanServerConnection beans, ObjectName memory, String field)
            throws IOException, JMException {
        return ((Number) ((CompositeData) beans.getAttribute(memory, "HeapMemoryUsage")).get(field)).doubleValue();
    }

    private static void put(Map<String, Double> numbers, MBeanServerConnection beans, ObjectName name, String attribute)
            throws IOException, JMException {
        Object value = beans.getAttribute(name, attribute);
        if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
            numbers.put(name.getCanonicalName() + "|" + attribute, number.doubleValue());
        }
    }

    /** The values of an attribute of all beans whose name has a text. */
    DoubleStream all(String bean, String attribute) {
        return numbers.entrySet().stream()
                .filter(entry -> entry.getKey().contains(bean) && entry.getKey().endsWith("|" + attribute))
                .mapToDouble(Map.Entry::getValue);
    }

    double max(String bean, String attribute) {
        return all(bean, attribute).max().orElse(Double.NaN);
    }

    double sum(String bean, String attribute) {
        return all(bean, attribute).sum();
    }
}
