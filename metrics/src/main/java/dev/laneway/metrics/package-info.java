/**
 * Metrics of consumers, for Micrometer, OpenTelemetry and the JDK's flight recorder. What there is stands in
 * {@link dev.laneway.metrics.LanewayMetric}.
 */
@NullMarked
package dev.laneway.metrics;

import org.jspecify.annotations.NullMarked;
