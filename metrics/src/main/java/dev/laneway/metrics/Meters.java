package dev.laneway.metrics;

import java.util.List;
import org.apache.kafka.common.TopicPartition;

/** One consumer's meters in a registry of some kind. Each method may come late, after {@link #close}. Thread-safe. */
interface Meters {
    /** Adds a value to a histogram, in its unit. */
    void record(LanewayMetric histogram, double value, String... tagValues);

    /** A histogram with these tags, for values that come often: looked up once. It appears with its first value. */
    Histogram histogram(LanewayMetric histogram, String... tagValues);

    /** Takes values in the histogram's unit, also late. Thread-safe. */
    interface Histogram {
        /** Adds a value. */
        void record(double value);
    }

    /** Adds to a counter that is no snapshot's. */
    void add(LanewayMetric counter, long more, String... tagValues);

    /** These partitions have meters from now on. */
    void assigned(List<TopicPartition> partitions);

    /** These have none any more. */
    void gone(List<TopicPartition> partitions);

    /** Removes all meters, and adds none any more. */
    void close();
}
