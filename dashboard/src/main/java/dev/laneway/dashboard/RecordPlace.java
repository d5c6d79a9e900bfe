package dev.laneway.dashboard;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Where a record is. Immutable. */
record RecordPlace(String topic, int partition, long offset) {
    static RecordPlace of(ConsumerRecord<?, ?> record) {
        return new RecordPlace(record.topic(), record.partition(), record.offset());
    }

    static RecordPlace of(TopicPartition partition, long offset) {
        return new RecordPlace(partition.topic(), partition.partition(), offset);
    }

    boolean isOf(TopicPartition other) {
        return partition == other.partition() && topic.equals(other.topic());
    }

    /** Of its partition, for people. */
    String id() {
        return topic + "-" + partition;
    }
}
