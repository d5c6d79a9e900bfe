package dev.laneway.cli.workload;

import dev.laneway.RecordContext;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Copies a record to another topic and notes where it came from. Key, value, timestamp and headers are copied; the
 * headers named here are added, in UTF-8 text, and replace those of an earlier copy.
 */
public final class CopyHeaders {
    /** The topic that the record was read from. */
    public static final String TOPIC = "laneway.source.topic";

    /** The partition that it was read from. */
    public static final String PARTITION = "laneway.source.partition";

    /** Its offset there. */
    public static final String OFFSET = "laneway.source.offset";

    /** Which attempt made the copy, 1 for the first. */
    public static final String ATTEMPT = "laneway.source.attempt";

    /** The member of the group that made the copy. */
    public static final String MEMBER = "laneway.source.member";

    private CopyHeaders() {}

    public static ProducerRecord<byte[], byte[]> copy(
            ConsumerRecord<byte[], byte[]> record, RecordContext context, String topic) {
        Headers headers = new RecordHeaders(record.headers().toArray());
        put(headers, TOPIC, record.topic());
        put(headers, PARTITION, Integer.toString(record.partition()));
        put(headers, OFFSET, Long.toString(record.offset()));
        put(headers, ATTEMPT, Integer.toString(context.attempt()));
        put(headers, MEMBER, context.member());
        // Without a timestamp in the source there is none to copy: the producer takes its own.
        Long timestamp = record.timestamp() < 0 ? null : Long.valueOf(record.timestamp());
        return new ProducerRecord<>(topic, null, timestamp, record.key(), record.value(), headers);
    }

    private static void put(Headers headers, String name, String value) {
        headers.remove(name).add(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
