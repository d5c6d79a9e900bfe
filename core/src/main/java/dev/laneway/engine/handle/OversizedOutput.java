package dev.laneway.engine.handle;

import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * An output was refused for its size: which one, how large is it, which limit did it pass, what mends that? Kafka says
 * neither the topic nor, where the broker refuses, the size and the limit's name.
 */
public final class OversizedOutput {
    /** Less than any limit of Kafka's that nobody has changed. */
    private static final int LARGE_BYTES = 1_000_000;

    private OversizedOutput() {}

    /**
     * Whether brokers may refuse it. Such a record should be alone in its batch: of one that is refused, with a record
     * of a few bytes behind it, Kafka's producer (4.3.1) splits the batch into that same batch, and sends it again
     * without a pause or an end (RecordAccumulator.splitAndReenqueue); a transaction lasts until its timeout.
     */
    public static boolean mayBe(ProducerRecord<byte[], byte[]> output) {
        byte[] value = output.value();
        return value != null && value.length > LARGE_BYTES;
    }

    /** Whether it was refused for its size. */
    static boolean is(Throwable failure) {
        return failure instanceof RecordTooLargeException || failure instanceof RecordBatchTooLargeException;
    }

    /**
     * The failure to send a record, with our own words if it is too large.
     *
     * @param metadata what the producer tells with the failure: the partition, if it has chosen one
     */
    public static Exception told(
            ProducerRecord<byte[], byte[]> output, @Nullable RecordMetadata metadata, Exception failure) {
        if (!is(failure)) {
            return failure;
        }
        String text = "the output to " + where(output, metadata) + " has " + bytes(output) + " bytes, more than "
                + limit(String.valueOf(failure.getMessage()));
        // Of the same type: rules of a failure policy go by it.
        return failure instanceof RecordBatchTooLargeException
                ? new RecordBatchTooLargeException(text, failure)
                : new RecordTooLargeException(text, failure);
    }

    private static String where(ProducerRecord<byte[], byte[]> output, @Nullable RecordMetadata metadata) {
        int partition = metadata == null ? RecordMetadata.UNKNOWN_PARTITION : metadata.partition();
        if (partition < 0 && output.partition() != null) {
            partition = output.partition();
        }
        return partition < 0 ? "topic " + output.topic() : "partition " + output.topic() + "-" + partition;
    }

    /** Key, value and headers, without what Kafka adds. */
    private static long bytes(ProducerRecord<byte[], byte[]> output) {
        long bytes = length(output.key()) + length(output.value());
        for (Header header : output.headers()) {
            bytes += header.key().length() + length(header.value());
        }
        return bytes;
    }

    private static long length(byte @Nullable [] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    /** Kafka's producer names its own limits in the text alone; the broker's names none. */
    private static String limit(String said) {
        for (String own : new String[] {ProducerConfig.MAX_REQUEST_SIZE_CONFIG, ProducerConfig.BUFFER_MEMORY_CONFIG}) {
            if (said.contains(own)) {
                return own + " of the producer allows: raise that in the producer's configuration, or send less";
            }
        }
        return TopicConfig.MAX_MESSAGE_BYTES_CONFIG
                + " of the topic allows: raise that on the topic (message.max.bytes on the brokers where it has none),"
                + " or send less";
    }
}
