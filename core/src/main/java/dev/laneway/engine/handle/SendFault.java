package dev.laneway.engine.handle;

import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;

/**
 * Is a record that could not be sent itself at fault? Only such a record may be given up for another outcome: whatever
 * else fails (a broker that is away, a closed producer, a missing right, an interrupt) would fail the next record just
 * as well, so that giving up would throw away one after the other.
 */
public final class SendFault {
    private SendFault() {}

    /** Whether the same record may be taken later. */
    public static boolean mayPass(Throwable failure) {
        return failure instanceof RetriableException && !isOf(failure);
    }

    /** Whether the record will be refused however often it is sent, and another one would not. */
    public static boolean isOf(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof RetriableException) {
                return false;
            }
            if (at instanceof RecordTooLargeException
                    || at instanceof RecordBatchTooLargeException
                    || at instanceof InvalidTopicException
                    || at instanceof InvalidTimestampException
                    || at instanceof SerializationException
                    || at instanceof UnsupportedForMessageFormatException
                    || at instanceof org.apache.kafka.common.InvalidRecordException) {
                return true;
            }
        }
        return false;
    }
}
