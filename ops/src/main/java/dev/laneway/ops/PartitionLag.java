package dev.laneway.ops;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The lag of a group in one partition. Numbers that are not known are null, never 0. Immutable.
 *
 * @param committed the committed offset; for share groups the start offset of the share partition
 * @param start the first offset that is kept
 * @param end the offset after the last record that counts, by the isolation level that was asked for
 * @param lag records that are not committed
 * @param atMost records that wait at most, if there is no commit: all that are kept
 * @param doneBeyond of the lag, records that Laneway's commit map names done
 * @param appendRate and {@code processRate}: records per second in the window
 * @param slope records per second by which the lag grows, robust against outliers; negative if it shrinks
 * @param age bounds of how long the first of them has waited
 * @param secondsToClear until nothing waits; infinite if the lag does not shrink
 * @param expectedLatency seconds that a record appended now will wait; infinite without progress
 * @param evidence what the status rests on, or what is not known and why
 * @param isComplete whether nothing failed while it was measured
 */
public record PartitionLag(
        TopicPartition partition,
        @Nullable Long committed,
        @Nullable Long start,
        @Nullable Long end,
        @Nullable Long lag,
        @Nullable Long atMost,
        long doneBeyond,
        @Nullable Double appendRate,
        @Nullable Double processRate,
        @Nullable Double slope,
        @Nullable LagAge age,
        @Nullable Double secondsToClear,
        @Nullable Double expectedLatency,
        LagStatus status,
        String evidence,
        boolean isComplete) {}
