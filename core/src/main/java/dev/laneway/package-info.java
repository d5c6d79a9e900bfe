/** The public API: parallel, ordered processing of Kafka records. */
@NullMarked
package dev.laneway;

import org.jspecify.annotations.NullMarked;
