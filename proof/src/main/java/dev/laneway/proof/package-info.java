/**
 * The proof on real processes: {@code ./laneway chaos}, {@code ./laneway soak}, and the audit of what they did. Classes
 * that begin with {@code Chaos} start and break brokers and members, those that begin with {@code Soak} carry a steady
 * load. Members write a {@link dev.laneway.proof.Journal}, and what ends with {@code Audit} holds the journals against
 * the topics. It may use the library, the test kit, and the frame and the workloads of the command line. Only the
 * launcher calls it, and nothing depends on it: it is not published.
 */
@NullMarked
package dev.laneway.proof;

import org.jspecify.annotations.NullMarked;
