/** Traces of consumers for OpenTelemetry, and what a handler's code, or its log, can be told of the record at hand. */
@NullMarked
package dev.laneway.tracing;

import org.jspecify.annotations.NullMarked;
