/**
 * What can be seen of a group, its members and their machines: numbers and texts with Kafka's own names, from whatever
 * tells them (Admin API, JMX, a Prometheus endpoint, the process itself, /proc and cgroup, a recording).
 *
 * <p>Uses kafka-clients, the JDK and Jackson. Knows no rule: package {@code check} judges.
 */
@NullMarked
package dev.laneway.ops.observe;

import org.jspecify.annotations.NullMarked;
