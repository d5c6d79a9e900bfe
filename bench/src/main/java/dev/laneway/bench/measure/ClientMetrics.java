package dev.laneway.bench.measure;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The metrics of the Kafka consumers of this process, by JMX, which works with all versions of the client and all
 * libraries.
 *
 * @param bytes that came from the brokers
 * @param fetches that were sent
 */
public record ClientMetrics(double bytes, double fetches) {
    public static ClientMetrics now() {
        return new ClientMetrics(
                sum("kafka.consumer:type=consumer-metrics,client-id=*", "incoming-byte-total"),
                sum("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=*", "fetch-total"));
    }

    public ClientMetrics less(ClientMetrics before) {
        return new ClientMetrics(bytes - before.bytes, fetches - before.fetches);
    }

    private static double sum(String pattern, String attribute) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        double sum = 0;
        try {
            for (ObjectName name : server.queryNames(new ObjectName(pattern), null)) {
                sum += ((Number) server.getAttribute(name, attribute)).doubleValue();
            }
        } catch (JMException failed) {
            throw new IllegalStateException("the client does not tell its " + attribute, failed);
        }
        return sum;
    }
}
