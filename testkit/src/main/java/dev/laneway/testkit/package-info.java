/**
 * Tools for tests: a real Kafka broker inside the JVM and a deterministic simulated one.
 *
 * <p>{@link dev.laneway.testkit.EmbeddedKafka} is the real one: for what only Kafka itself can show, such as rebalances
 * over the network, recovery after a crash, or an application as a whole. It starts in about two seconds, later ones in
 * the same JVM in a quarter of one.
 *
 * <pre>{@code
 * // One plain broker for the whole suite: a topic and a group of its own for each test.
 * EmbeddedKafka kafka = EmbeddedKafka.shared();
 *
 * // A cluster of one's own, to break it.
 * try (EmbeddedKafka cluster = EmbeddedKafka.builder().nodes(3).start()) {
 *     cluster.createTopic("orders", 6);
 *     int leader = cluster.leader("orders", 0).orElseThrow();
 *     cluster.kill(leader);
 *     cluster.start(leader);
 *     cluster.awaitReady(Duration.ofSeconds(30));
 * }
 * }</pre>
 */
@NullMarked
package dev.laneway.testkit;

import org.jspecify.annotations.NullMarked;
