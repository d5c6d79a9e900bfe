package dev.laneway.engine.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** What readers of committed records see in the end: of each input the outputs of one attempt, whole and in order. */
final class SimOutputs {
    private final SimWorld world;
    /** Inputs that may have no outputs: an attempt has skipped them, say. */
    private final Set<String> mayLack = new HashSet<>();

    SimOutputs(SimWorld world) {
        this.world = world;
    }

    void mayLack(SimAttempt attempt) {
        mayLack.add(input(attempt.epoch.id, attempt.offset));
    }

    void check() {
        if (!world.plan.isExactlyOnce()) {
            return;
        }
        Map<String, List<ConsumerRecord<byte[], byte[]>>> byInput = new HashMap<>();
        Map<String, Long> lastOfLane = new HashMap<>();
        for (int partition = 0; partition < world.sim.broker().partitions("out"); partition++) {
            for (ConsumerRecord<byte[], byte[]> output :
                    world.sim.broker().records(new TopicPartition("out", partition))) {
                String input = text(output, SimHandlers.INPUT);
                byInput.computeIfAbsent(input, none -> new ArrayList<>()).add(output);
                long offset = Long.parseLong(input.substring(input.indexOf('@') + 1));
                Long before = lastOfLane.put(new String(output.key(), java.nio.charset.StandardCharsets.UTF_8), offset);
                if (before != null && before > offset) {
                    world.check.breach("B18 outputs of " + input + " come after those of " + before);
                }
            }
        }
        byInput.forEach(this::isWhole);
        for (TopicPartition id : world.partitions) {
            for (ConsumerRecord<byte[], byte[]> record : world.sim.broker().records(id)) {
                String input = input(id, record.offset());
                if (world.check.isWanted(id, record.offset())
                        && !byInput.containsKey(input)
                        && !mayLack.contains(input)) {
                    world.check.breach("B60 " + input + " has no outputs");
                }
            }
        }
    }

    private void isWhole(String input, List<ConsumerRecord<byte[], byte[]>> outputs) {
        Set<String> attempts = new HashSet<>();
        List<String> numbers = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> output : outputs) {
            attempts.add(text(output, SimHandlers.ATTEMPT));
            numbers.add(text(output, SimHandlers.OUTPUT));
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < outputs.size(); i++) {
            expected.add(i + "/" + outputs.size());
        }
        if (attempts.size() != 1 || !numbers.equals(expected)) {
            world.check.breach("B60 " + input + " has the outputs " + numbers + " of attempts " + attempts);
        }
    }

    private static String input(TopicPartition id, long offset) {
        return id + "@" + offset;
    }

    private static String text(ConsumerRecord<byte[], byte[]> output, String header) {
        return SimHandlers.text(output.headers().lastHeader(header));
    }
}
