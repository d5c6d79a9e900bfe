package dev.laneway.cli.size;

import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Loader;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Records as {@code load} makes them, at a rate that is changed while they are sent. */
final class OwnLoad implements LoadSource {
    private final Loader loader;
    private final CompletableFuture<Loader.Result> ended = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean isClosed;

    /** Starts, paused. */
    OwnLoad(Map<String, Object> kafkaConfig, Loader.Plan plan) {
        // A plan without a rate would load as fast as it can.
        loader = new Loader(
                kafkaConfig, new Loader.Plan(plan.topic(), Loader.ENDLESS, plan.keys(), plan.skew(), plan.size(), 1));
        loader.changeRate(0);
        thread = Thread.ofPlatform().name("laneway-size-load").daemon().start(this::load);
    }

    private void load() {
        try {
            ended.complete(loader.run(() -> isClosed));
        } catch (RuntimeException failed) {
            ended.completeExceptionally(failed);
        }
    }

    @Override
    public void changeRate(double perSecond) {
        loader.changeRate(perSecond);
    }

    @Override
    public void check() {
        if (ended.isCompletedExceptionally()) {
            Throwable failed = ended.exceptionNow();
            throw new VerbFailure(String.valueOf(failed.getMessage()), failed);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
