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
            into.leaveOut(LOG, record.topic(), record.partition(), record.offset(), exception.getMessage());
        }
        return Response.resume();
    }
}
