/**
 * A live page of a running consumer, or of any group: whether it keeps up, what limits it, and which partition is to
 * blame. Start with {@link dev.laneway.dashboard.Dashboard}.
 *
 * <p>A {@code Feed} looks once a second and makes a {@code Frame}; {@code Broadcast} shows it to all who watch;
 * {@code PageServer} decides who may. Uses the JDK's HTTP server, the lag engine and the vocabulary of
 * {@code dev.laneway.ops}; depends on nothing of the engine but its public API.
 */
@NullMarked
package dev.laneway.dashboard;

import org.jspecify.annotations.NullMarked;
