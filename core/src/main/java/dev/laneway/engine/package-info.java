/**
 * A member of a consumer group: its turns, its wiring, flow control, rebalances, health and snapshots. Uses all rooms
 * but that of share groups; only {@code dev.laneway}, the streams and the share groups may call it. Nothing here or in
 * the rooms below is for users; it may change at any time.
 */
@NullMarked
package dev.laneway.engine;

import org.jspecify.annotations.NullMarked;
