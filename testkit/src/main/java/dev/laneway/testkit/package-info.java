/** Tools for tests: a real Kafka broker inside the JVM and a deterministic simulated one. */
@NullMarked
package dev.laneway.testkit;

import org.jspecify.annotations.NullMarked;
