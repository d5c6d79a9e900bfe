package dev.laneway.bench.peer;

import dev.laneway.CommitMode;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.Ordering;
import dev.laneway.RecordHandler;
import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.CopyTask;
import dev.laneway.bench.measure.Numbers;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.SendTask;
import dev.laneway.bench.measure.Task;
import dev.laneway.stream.KafkaSink;
import dev.laneway.stream.ProducerSettings;
import dev.laneway.stream.Sink;
import dev.laneway.stream.Source;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Laneway, with default options except order and concurrency. */
final class PeerLaneway implements Peer, Sender, Copier {
    private final Ordering ordering;

    PeerLaneway(Ordering ordering) {
        this.ordering = ordering;
    }

    @Override
    public Order order(Task task) {
        return switch (ordering) {
            case KEY -> Order.KEY;
            case PARTITION -> Order.PARTITION;
            case UNORDERED -> Order.NONE;
        };
    }

    /** Its commits cannot be switched off. */
    @Override
    public boolean commits(Task task) {
        return true;
    }

    @Override
    public Running start(Task task) {
        Map<String, Object> config = task.kafkaConfig();
        if (task.commits() == Commits.RECORD_AHEAD) {
            // It commits a poll at a time.
            config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
        }
        LanewayBuilder<byte[], byte[]> description = Laneway.consumer(config)
                .subscribe(task.topic())
                .ordering(ordering)
                .closeOnShutdown(false);
        if (!task.probe().work().isNothing()) {
            description = description.concurrency(task.concurrency());
        }
        if (task.commits() == Commits.POLL_AHEAD || task.commits() == Commits.RECORD_AHEAD) {
            description = description.commit(CommitMode.ahead());
        }
        RecordHandler<byte[], byte[]> handler = task.probe()::handle;
        return running(description.process(handler));
    }

    @Override
    public void send(SendTask task) throws Exception {
        ProducerSettings<byte[], byte[]> settings = ProducerSettings.of(
                        task.kafkaConfig(), new ByteArraySerializer(), new ByteArraySerializer())
                .withMaxInFlightRecords(task.inFlight());
        Sink<ProducerRecord<byte[], byte[]>> sink = KafkaSink.plain(settings);
        Source.from(new Numbers(task.records())).map(task::record).to(sink);
        sink.completion().toCompletableFuture().get(task.limit().toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public Peer.Running copy(CopyTask task) {
        Laneway running = Laneway.consumer(task.kafkaConfig())
                .subscribe(task.from())
                .ordering(ordering)
                .exactlyOnce(task.transactionalId())
                .closeOnShutdown(false)
                .transform(new ByteArraySerializer(), new ByteArraySerializer(), record -> List.of(task.copy(record)));
        return running(running);
    }

    private static Running running(Laneway running) {
        return new Running() {
            @Override
            public void check() {
                running.failure().ifPresent(failure -> {
                    throw new IllegalStateException("Laneway has failed", failure);
                });
            }

            @Override
            public void close() {
                running.close();
                check();
            }
        };
    }
}
