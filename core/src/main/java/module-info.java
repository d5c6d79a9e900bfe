import org.jspecify.annotations.NullMarked;

/**
 * Parallel, ordered processing of Kafka records.
 *
 * <p>Only {@code dev.laneway} is exported; the engine behind it is hidden.
 */
@NullMarked
module dev.laneway {
    requires transitive kafka.clients;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.laneway;
}
