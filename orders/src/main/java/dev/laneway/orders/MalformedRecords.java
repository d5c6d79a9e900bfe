package dev.laneway.orders;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.errors.DeserializationExceptionHandler;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leaves out a record that is no event, and counts it: by itself Kafka Streams would end. Thread-safe. */
public final class MalformedRecords implements DeserializationExceptionHandler {
    static final String COUNTS = "order.tracker.counts";
    private static final Logger LOG = LoggerFactory.getLogger(MalformedRecords.class);

    /** A topic full of such records must not fill the log. */
    private static final int MOST_LOGGED = 10;

    private @Nullable TrackerCounts counts;

    /** Made by Kafka Streams. */
    public MalformedRecords() {}

    @Override
    public void configure(Map<String, ?> configs) {
        if (configs.get(COUNTS) instanceof TrackerCounts given) {
            counts = given;
        }
    }

    @Override
    public Response handleError(
            ErrorHandlerContext context, ConsumerRecord<byte[], byte[]> record, Exception exception) {
        TrackerCounts into = counts;
        if (into != null) {
            into.malformed.increment();
            if (into.malformed.sum() <= MOST_LOGGED) {
                LOG.warn(
                        "left out {}-{} at offset {}: {}",
                        record.topic(),
                        record.partition(),
                        record.offset(),
                        exception.getMessage());
            }
        }
        return Response.resume();
    }
}
