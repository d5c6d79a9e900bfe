/**
 * What users set, checked and completed: properties of clients, the selection of topics, budgets, and refusals in
 * words. Uses no other room; all rooms from the tracks on may call it.
 */
@NullMarked
package dev.laneway.engine.config;

import org.jspecify.annotations.NullMarked;
