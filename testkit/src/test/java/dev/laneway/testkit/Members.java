package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/** A few consumers of one thread, polled in turn, with everything that they see written down. */
final class Members {
    private static final int MOST_POLLS = 1_200;

    private final List<Member> members = new ArrayList<>();
    final List<String> events = new ArrayList<>();

    /** One of them. What {@code onRevoked} and {@code onAssigned} do happens inside the callback. */
    final class Member implements ConsumerRebalanceListener {
        final String name;
        final Consumer<byte[], byte[]> consumer;
        final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        java.util.function.Consumer<Collection<TopicPartition>> onRevoked = partitions -> {};
        java.util.function.Consumer<Collection<TopicPartition>> onAssigned = partitions -> {};

        private Member(String name, Consumer<byte[], byte[]> consumer) {
            this.name = name;
            this.consumer = consumer;
        }

        ConsumerRecords<byte[], byte[]> poll() {
            ConsumerRecords<byte[], byte[]> polled = consumer.poll(Duration.ofMillis(25));
            polled.forEach(records::add);
            return polled;
        }

        List<String> values() {
            return records.stream().map(record -> text(record.value())).toList();
        }

        List<Long> offsets() {
            return records.stream().map(ConsumerRecord::offset).toList();
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            events.add(name + " revoked " + numbers(partitions));
            onRevoked.accept(partitions);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            events.add(name + " assigned " + numbers(partitions));
            onAssigned.accept(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            events.add(name + " lost " + numbers(partitions));
        }
    }

    Member add(String name, Consumer<byte[], byte[]> consumer) {
        Member member = new Member(name, consumer);
        members.add(member);
        return member;
    }

    void remove(Member member) {
        members.remove(member);
    }

    /** Polls all of them in turn until the condition holds, and fails if it never does. */
    void pollUntil(BooleanSupplier condition) {
        for (int i = 0; i < MOST_POLLS && !condition.getAsBoolean(); i++) {
            members.forEach(Member::poll);
        }
        assertThat(condition.getAsBoolean()).as("after %s", events).isTrue();
    }

    /** Polls all of them so many times. */
    void poll(int times) {
        for (int i = 0; i < times; i++) {
            members.forEach(Member::poll);
        }
    }

    /** How many partitions each member has. */
    Map<String, Integer> shares() {
        Map<String, Integer> shares = new LinkedHashMap<>();
        members.forEach(
                member -> shares.put(member.name, member.consumer.assignment().size()));
        return shares;
    }

    void close() {
        members.forEach(member -> member.consumer.close());
    }

    static String text(byte[] bytes) {
        return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<Integer> numbers(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).sorted().toList();
    }
}
