/**
 * The frame of every verb: parsing, help, refusals, exit codes, signals, output, the terminal, and verbs in a process
 * of their own. It knows no verb and no workload, and uses of the library only its exceptions. Every program of the
 * launcher may use it: the command line, the proof and the benchmarks.
 */
@NullMarked
package dev.laneway.cli.program;

import org.jspecify.annotations.NullMarked;
