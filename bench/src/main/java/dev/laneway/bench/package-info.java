/**
 * The benchmarks. The verb's process plans, starts a broker and one fresh JVM for each arm, and reports;
 * {@link dev.laneway.bench.Arm} is what runs in those JVMs. Scenarios have names that begin with {@code Scenario},
 * adapters of what is compared begin with {@code Peer}, and what an arm does with them ends with {@code Workload}.
 */
@NullMarked
package dev.laneway.bench;

import org.jspecify.annotations.NullMarked;
