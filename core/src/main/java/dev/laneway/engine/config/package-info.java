/**
 * What users set, checked and completed: properties of clients, the selection of topics, budgets, copies of settings,
 * and refusals in words. Uses no other room; all rooms from the tracks on may call it, and the public packages.
 */
@NullMarked
package dev.laneway.engine.config;

import org.jspecify.annotations.NullMarked;
