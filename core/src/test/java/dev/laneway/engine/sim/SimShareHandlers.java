package dev.laneway.engine.sim;

import dev.laneway.Outcome;
import dev.laneway.engine.handle.HandlerSpec;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The handlers of one member of a share group: the seed decides what each attempt does. */
final class SimShareHandlers {
    private final SimShareWorld world;
    private final SimShareProcess process;
    private final SimConduct conduct;

    SimShareHandlers(SimShareWorld world, SimShareProcess process, SimHost host) {
        this.world = world;
        this.process = process;
        this.conduct = new SimConduct(world.sim, world.random, world.plan, world.course, host, 30);
    }

    HandlerSpec handling() {
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        return switch (world.plan.handlers) {
            case PLAIN -> new HandlerSpec.Plain<>(bytes, bytes, this::plain);
            case EACH, BATCH ->
                new HandlerSpec.Each<>(bytes, bytes, (record, context) -> each(record, context.attempt()), true);
            case ASYNC -> new HandlerSpec.Async<>(bytes, bytes, (record, context) -> async(record, context.attempt()));
        };
    }

    private void plain(ConsumerRecord<byte[], byte[]> record) throws Exception {
        SimShareDelivery delivery = begin(record, 0);
        SimBehaviour drawn = conduct.draw();
        SimEnd end = SimConduct.plain(drawn);
        live(delivery, drawn, end);
        conduct.fail(end);
    }

    private Outcome each(ConsumerRecord<byte[], byte[]> record, int number) throws Exception {
        SimShareDelivery delivery = begin(record, number);
        SimBehaviour drawn = conduct.draw();
        live(delivery, drawn, drawn.end());
        conduct.fail(drawn.end());
        return SimConduct.outcome(drawn.end(), Outcome::done);
    }

    private CompletionStage<Outcome> async(ConsumerRecord<byte[], byte[]> record, int number) throws Exception {
        SimShareDelivery delivery = begin(record, number);
        SimBehaviour drawn = conduct.draw();
        if (world.random.nextInt(3) == 0) {
            live(delivery, drawn, drawn.end());
            conduct.fail(drawn.end());
            return CompletableFuture.completedFuture(SimConduct.outcome(drawn.end(), Outcome::done));
        }
        CompletableFuture<Outcome> stage = SimConduct.stage(drawn);
        delivery.pends();
        int attempt = delivery.attempts;
        conduct.later(drawn, () -> complete(stage, delivery, attempt, drawn.end()));
        // The engine gives it up: at the limit, or with the lock.
        var _ = stage.whenComplete((outcome, failure) -> {
            if (stage.isCancelled() && !process.isDead()) {
                world.check.ends(delivery, attempt, SimEnd.FAILED);
            }
        });
        return stage;
    }

    private void complete(CompletableFuture<Outcome> stage, SimShareDelivery delivery, int attempt, SimEnd end) {
        if (stage.isDone() || process.isDead()) {
            return;
        }
        world.check.ends(delivery, attempt, end);
        SimConduct.complete(stage, end, Outcome::done);
    }

    /** @param number what the engine says, 0 when it does not */
    private SimShareDelivery begin(ConsumerRecord<byte[], byte[]> record, int number) {
        if (process.isDead()) {
            throw new SimConduct.Mendable();
        }
        SimShareDelivery delivery = process.begins(record);
        if (number > 0 && number != delivery.attempts && !delivery.isUnsure) {
            world.check.breach("B100 attempt " + number + " should be that of " + delivery);
        }
        return delivery;
    }

    private void live(SimShareDelivery delivery, SimBehaviour drawn, SimEnd end) throws InterruptedException {
        int attempt = delivery.attempts;
        boolean interrupted = true;
        try {
            conduct.spend(drawn);
            interrupted = false;
        } finally {
            if (!process.isDead()) {
                world.check.ends(delivery, attempt, interrupted ? SimEnd.FAILED : end);
            }
        }
        conduct.leave();
    }
}
