/**
 * What becomes of an order: its events, its state, and how both are written. Pure functions and immutable values; it
 * uses nothing but Jackson.
 */
@NullMarked
package dev.laneway.orders.status;

import org.jspecify.annotations.NullMarked;
