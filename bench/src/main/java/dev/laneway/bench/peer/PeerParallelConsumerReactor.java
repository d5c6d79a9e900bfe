package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.internal.DrainingCloseable.DrainingMode;
import io.confluent.parallelconsumer.reactor.ReactorProcessor;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;

/** Confluent Parallel Consumer, its Reactor variant: handlers return a publisher, and no thread is held. */
final class PeerParallelConsumerReactor implements Peer {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    private final ProcessingOrder ordering;

    PeerParallelConsumerReactor(ProcessingOrder ordering) {
        this.ordering = ordering;
    }

    @Override
    public Order order(Task task) {
        return PeerParallelConsumer.order(ordering);
    }

    /** Its commits cannot be switched off. */
    @Override
    public boolean commits(Task task) {
        return true;
    }

    @Override
    public Running start(Task task) {
        ReactorProcessor<byte[], byte[]> processor =
                new ReactorProcessor<>(PeerParallelConsumer.options(task, ordering));
        processor.subscribe(List.of(task.topic()));
        processor.react(
                polled -> Mono.fromCompletionStage(() -> task.probe().handleLater(polled.getSingleConsumerRecord())));
        return new Running() {
            @Override
            public void check() {
                if (processor.isClosedOrFailed()) {
                    throw new IllegalStateException("Parallel Consumer has ended");
                }
            }

            @Override
            public void close() {
                processor.close(CLOSE_LIMIT, DrainingMode.DONT_DRAIN);
            }
        };
    }
}
