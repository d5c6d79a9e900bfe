package dev.laneway.engine.handle;

import dev.laneway.StreamException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What a stream has delivered of one assignment of one partition, and is told to be done. Once the partition is given
 * up, what it is told is late: ignored, and counted. Thread-safe.
 */
public interface AckHandle {
    /** The partition. */
    TopicPartition partition();

    /**
     * Exactly the record at this offset is done. Known already, or too late: ignored.
     *
     * @param metadata what the commit is to carry when this is the last record that it covers
     */
    void done(long offset, @Nullable String metadata);

    /** Every delivered record up to this offset, the one at it included, is done. */
    void doneUpTo(long offset, @Nullable String metadata);

    /**
     * As {@link #done}, and the record emits this: both are written in one transaction.
     *
     * @param receipt told of the end of it, once
     * @throws StreamException when the source is not transactional, or the record was said to be done before
     */
    void emits(long offset, List<ProducerRecord<byte[], byte[]>> outputs, Receipt receipt);

    /** Whoever waits for a transaction. Called on any thread, which must not be kept. */
    interface Receipt {
        /** The transaction is committed. */
        void written();

        /** The partition was given up before; its next owner has the record again. */
        void dropped();
    }

    /**
     * Asks for a commit of what is done, of all partitions of the consumer. The stage completes when the broker has
     * confirmed it.
     */
    CompletionStage<@Nullable Void> commit();
}
