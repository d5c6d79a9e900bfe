/** The lag of groups of all kinds, in records and in seconds, measured through Kafka's Admin API. */
@NullMarked
package dev.laneway.ops;

import org.jspecify.annotations.NullMarked;
