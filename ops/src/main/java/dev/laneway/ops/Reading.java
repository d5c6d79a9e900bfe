package dev.laneway.ops;

import org.jspecify.annotations.Nullable;

/**
 * What one round has read of one partition. Offsets that are not known are {@link #UNKNOWN}. Immutable.
 *
 * @param atMillis when the end offset was asked for
 * @param committed the committed offset; for share groups the start offset of the share partition
 * @param start the first offset that is kept
 * @param end the offset after the last record that counts
 * @param doneBeyond how many records at or above the committed offset a commit map names done
 * @param givenLag the lag that the broker itself gives, for share groups
 * @param reason why something is not known; null if all is
 */
record Reading(
        long atMillis,
        long committed,
        long start,
        long end,
        long doneBeyond,
        long givenLag,
        @Nullable String reason) {
    static final long UNKNOWN = -1;

    /** Records that are not done, as Kafka counts them; {@link #UNKNOWN} without both offsets. */
    long lag() {
        if (givenLag != UNKNOWN) {
            return givenLag;
        }
        return committed == UNKNOWN || end == UNKNOWN ? UNKNOWN : Math.max(0, end - committed);
    }
}
