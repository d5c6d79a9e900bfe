package dev.laneway.ops;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/** First and end offsets of partitions. A partition without an answer fails alone. Used by one thread. */
final class OffsetBounds {
    private final Map<TopicPartition, Answers.Answer<ListOffsetsResultInfo>> starts;
    private final Map<TopicPartition, Answers.Answer<ListOffsetsResultInfo>> ends;

    private OffsetBounds(
            Map<TopicPartition, Answers.Answer<ListOffsetsResultInfo>> starts,
            Map<TopicPartition, Answers.Answer<ListOffsetsResultInfo>> ends) {
        this.starts = starts;
        this.ends = ends;
    }

    static OffsetBounds read(
            Admin admin, Collection<TopicPartition> partitions, IsolationLevel isolation, Answers answers) {
        if (partitions.isEmpty()) {
            return new OffsetBounds(Map.of(), Map.of());
        }
        ListOffsetsResult first =
                list(admin, partitions, IsolationLevel.READ_UNCOMMITTED, answers, OffsetSpec::earliest);
        ListOffsetsResult last = list(admin, partitions, isolation, answers, OffsetSpec::latest);
        return new OffsetBounds(collect(first, partitions, answers), collect(last, partitions, answers));
    }

    /** The first offsets with the timestamps or later ones; partitions without an answer are missing. */
    static Map<TopicPartition, ListOffsetsResultInfo> at(
            Admin admin, Map<TopicPartition, OffsetSpec> specs, IsolationLevel isolation, Answers answers) {
        ListOffsetsResult result =
                admin.listOffsets(specs, new ListOffsetsOptions(isolation).timeoutMs(answers.leftForRequest()));
        Map<TopicPartition, ListOffsetsResultInfo> found = new HashMap<>();
        collect(result, specs.keySet(), answers).forEach((partition, answer) -> {
            ListOffsetsResultInfo info = answer.value();
            if (info != null) {
                found.put(partition, info);
            }
        });
        return found;
    }

    Answers.Answer<ListOffsetsResultInfo> start(TopicPartition partition) {
        return starts.getOrDefault(partition, new Answers.Answer<>(null, null));
    }

    Answers.Answer<ListOffsetsResultInfo> end(TopicPartition partition) {
        return ends.getOrDefault(partition, new Answers.Answer<>(null, null));
    }

    private static ListOffsetsResult list(
            Admin admin,
            Collection<TopicPartition> partitions,
            IsolationLevel isolation,
            Answers answers,
            Supplier<OffsetSpec> spec) {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        partitions.forEach(partition -> specs.put(partition, spec.get()));
        return admin.listOffsets(specs, new ListOffsetsOptions(isolation).timeoutMs(answers.leftForRequest()));
    }

    private static Map<TopicPartition, Answers.Answer<ListOffsetsResultInfo>> collect(
            ListOffsetsResult result, Collection<TopicPartition> partitions, Answers answers) {
        Map<TopicPartition, Answers.Answer<ListOffsetsResultInfo>> collected = new HashMap<>();
        Function<TopicPartition, Answers.Answer<ListOffsetsResultInfo>> wait =
                partition -> answers.of(result.partitionResult(partition));
        partitions.forEach(partition -> collected.put(partition, wait.apply(partition)));
        return collected;
    }
}
