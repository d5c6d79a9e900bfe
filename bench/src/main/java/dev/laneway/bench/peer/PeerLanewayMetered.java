package dev.laneway.bench.peer;

import dev.laneway.Laneway;
import dev.laneway.RecordHandler;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import dev.laneway.metrics.MicrometerMetrics;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** Laneway by key, with all its meters, which somebody reads each second. */
final class PeerLanewayMetered implements Peer {
    private static final long READ_MILLIS = 1_000;

    @Override
    public Order order(Task task) {
        return Order.KEY;
    }

    /** Its commits cannot be switched off. */
    @Override
    public boolean commits(Task task) {
        return true;
    }

    @Override
    public Running start(Task task) {
        MeterRegistry registry = new SimpleMeterRegistry();
        RecordHandler<byte[], byte[]> handler = task.probe()::handle;
        Laneway running = Laneway.consumer(task.kafkaConfig())
                .subscribe(task.topic())
                .closeOnShutdown(false)
                .observer(MicrometerMetrics.to(registry))
                .process(handler);
        Thread reader = Thread.ofPlatform().daemon().name("meters").start(() -> read(registry));
        return new Running() {
            @Override
            public void check() {
                running.failure().ifPresent(failure -> {
                    throw new IllegalStateException("Laneway has failed", failure);
                });
            }

            @Override
            public void close() {
                reader.interrupt();
                running.close();
                check();
            }
        };
    }

    private static void read(MeterRegistry registry) {
        try {
            while (true) {
                Thread.sleep(READ_MILLIS);
                for (Meter meter : registry.getMeters()) {
                    for (Measurement measured : meter.measure()) {
                        var _ = measured.getValue();
                    }
                }
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }
}
