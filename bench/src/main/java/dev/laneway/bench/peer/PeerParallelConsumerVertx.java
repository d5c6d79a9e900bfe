package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.internal.DrainingCloseable.DrainingMode;
import io.confluent.parallelconsumer.vertx.VertxParallelEoSStreamProcessor;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import java.time.Duration;
import java.util.List;

/** Confluent Parallel Consumer, its Vert.x variant: handlers return a future, and no thread is held. */
final class PeerParallelConsumerVertx implements Peer {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    private final ProcessingOrder ordering;

    PeerParallelConsumerVertx(ProcessingOrder ordering) {
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
        Vertx vertx = Vertx.vertx();
        VertxParallelEoSStreamProcessor<byte[], byte[]> processor = new VertxParallelEoSStreamProcessor<>(
                vertx, WebClient.create(vertx), PeerParallelConsumer.options(task, ordering));
        processor.subscribe(List.of(task.topic()));
        processor.vertxFuture(
                polled -> Future.fromCompletionStage(task.probe().handleLater(polled.getSingleConsumerRecord())));
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
                vertx.close();
            }
        };
    }
}
