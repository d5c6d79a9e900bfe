package dev.laneway;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What takes the place of the record's key where {@link Ordering#KEY} asks which records belong together: a header, or
 * a field of the value. Records of one partition with the same lane key run one at a time, in offset order. Handlers,
 * outputs and dead letters see the record with its own key, as it was fetched.
 *
 * <p>Records of different partitions have no order, whatever their lane keys are: another member may own the other
 * partition. Where all records of a lane key must be in order, write the topic with that as its key.
 *
 * <p>Immutable; as thread-safe as its extractor.
 *
 * @param id names this way to find lane keys, from 1 to 249 characters. Commits that list keys keep a hash of it, so
 *     that a member with another one does not take what they say of its own keys. Whoever changes what the extractor
 *     returns must change the id
 * @param extractor finds the lane key of a record
 */
public record LaneKey(String id, Extractor extractor) {
    private static final int LONGEST_ID = 249;

    /**
     * Finds the lane key of a record.
     *
     * <p>It is called once for each record that is fetched, on the thread that polls, and again for a record that is
     * read a second time, on another one. So it must be fast: while it runs its member polls nothing, and commits
     * nothing. It must be thread-safe, and pure: the same record must give the same lane key each time, in every member
     * of the group, or its order is lost; what waits in the log behind a busy lane is not found again under another
     * lane key, and counts as lost.
     */
    @FunctionalInterface
    public interface Extractor {
        /**
         * Returns the lane key; null for a record without one, whose order {@link NullKeys} decides.
         *
         * @param record as it was fetched; must not be changed
         * @return bytes that nobody changes any more; may be an array of the record
         * @throws Exception of any kind: the record then has no lane key, and each of its attempts fails with a
         *     {@link LaneKeyException}, so that the {@link FailurePolicy} decides what follows
         */
        byte @Nullable [] extract(ConsumerRecord<byte[], byte[]> record) throws Exception;
    }

    /**
     * Checks the id.
     *
     * @throws ConfigurationException if it is blank or too long, or the extractor is missing
     */
    public LaneKey {
        Checks.given("laneKey.id", id);
        Checks.given("laneKey.extractor", extractor);
        if (id.isBlank()) {
            throw new ConfigurationException(
                    "laneKey.id", "blank", "must not be", "name the field or header that is the lane key");
        }
        if (id.length() > LONGEST_ID) {
            throw new ConfigurationException(
                    "laneKey.id", id.length() + " characters", "must have at most " + LONGEST_ID, "shorten it");
        }
    }

    /** What this extractor finds. */
    public static LaneKey of(String id, Extractor extractor) {
        return new LaneKey(id, extractor);
    }

    /**
     * The value of the last header of this name; null where a record has none, or one without a value. Its id is the
     * name with "header " before it.
     */
    public static LaneKey header(String name) {
        Checks.given("laneKey.header", name);
        return new LaneKey("header " + name, record -> {
            Header header = record.headers().lastHeader(name);
            return header == null ? null : header.value();
        });
    }
}
