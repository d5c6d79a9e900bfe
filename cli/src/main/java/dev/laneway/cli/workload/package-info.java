/**
 * What verbs load, consume and count: the cluster they work on, generated records, handlers that are told to be slow or
 * to fail, the audit of what was processed, and progress for people. It may use the libraries and {@code program}, but
 * no verb. The command line, the proof and the benchmarks use it.
 */
@NullMarked
package dev.laneway.cli.workload;

import org.jspecify.annotations.NullMarked;
