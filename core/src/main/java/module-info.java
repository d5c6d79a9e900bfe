import org.jspecify.annotations.NullMarked;

/**
 * Parallel, ordered processing of Kafka records.
 *
 * <p>Only {@code dev.laneway} and {@code dev.laneway.stream} are exported; the engine behind them is hidden.
 */
@NullMarked
module dev.laneway {
    requires transitive kafka.clients;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.laneway;
    exports dev.laneway.stream;
}
