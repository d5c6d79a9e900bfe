package dev.laneway.engine.track;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.common.TopicPartition;

/** Lanes of one partition that want records from the log again. Thread-safe. */
public interface RefillTarget {
    /** What became of records that were read again. */
    enum Reading {
        /** Lanes have taken theirs, and some want more. */
        GOES_ON,
        /** A lane that wants them had no room for all: the same records may be offered again. */
        IS_FULL,
        /** The same, and others want what comes behind them. */
        SOME_ARE_FULL,
        /** No lane wants more, or none will take it. */
        IS_OVER
    }

    /** Where the records are. */
    TopicPartition partition();

    /** From where on the log is to be read again; -1 where nobody wants that. */
    long from();

    /**
     * Takes what was read again of the log.
     *
     * @param from where that begins
     * @param records in offset order, of all keys
     * @param to where it ends; what lies in between and was not returned is no more in the log
     * @throws LogTruncationException when the log was cut and written anew, of which the owner has yet to learn
     */
    Reading refill(long from, List<ConsumerRecord<byte[], byte[]>> records, long to);

    /** The pass goes on without those lanes that have no room. */
    void leaveFull();

    /** The pass is over: those without which it went on may want another one. Whether there were any. */
    boolean comeBack();

    /** How many records were taken that had been read again. */
    long taken();

    /** How many records are known that stand in the log alone. */
    long records();

    /** How many records were gone from the log when they were to be read again, since this was asked last. */
    long takeLost();
}
