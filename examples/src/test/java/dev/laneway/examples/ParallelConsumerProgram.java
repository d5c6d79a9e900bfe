package dev.laneway.examples;

import dev.laneway.examples.RetriesAndDeadLetters.Bank;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The Parallel Consumer side of docs/coming-from/parallel-consumer.md. */
final class ParallelConsumerProgram {
    private ParallelConsumerProgram() {}

    static ParallelStreamProcessor<String, Long> start(Map<String, Object> kafkaConfig, Bank bank) {
        var options = ParallelConsumerOptions.<String, Long>builder()
                .consumer(new KafkaConsumer<>(kafkaConfig, new StringDeserializer(), new LongDeserializer()))
                .ordering(ProcessingOrder.KEY)
                .maxConcurrency(100)
                .commitInterval(Duration.ofMillis(100))
                .build();
        var processor = ParallelStreamProcessor.createEosStreamProcessor(options);
        processor.subscribe(List.of("payments"));
        processor.poll(context -> book(bank, context.key(), context.value()));
        return processor;
    }

    private static void book(Bank bank, String account, long amount) {
        try {
            bank.book(account, amount);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
