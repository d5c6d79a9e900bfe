package dev.laneway.engine;

import dev.laneway.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The handlers of one member of a share group: the seed decides what each attempt does. */
final class SimShareHandlers {
    private final SimShareWorld world;
    private final SimShareProcess process;
    private final SimHost host;

    /** A stage that goes on when it is cancelled. */
    private static final class Stubborn extends CompletableFuture<Outcome> {
        @Override
        public boolean cancel(boolean mayInterrupt) {
            return false;
        }
    }

    SimShareHandlers(SimShareWorld world, SimShareProcess process, SimHost host) {
        this.world = world;
        this.process = process;
        this.host = host;
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
        SimBehaviour drawn = draw();
        SimEnd end = switch (drawn.end().kind()) {
            case FAILED, HOPELESS -> drawn.end();
            default -> SimEnd.DONE;
        };
        live(delivery, drawn, end);
        fail(end);
    }

    private Outcome each(ConsumerRecord<byte[], byte[]> record, int number) throws Exception {
        SimShareDelivery delivery = begin(record, number);
        SimBehaviour drawn = draw();
        live(delivery, drawn, drawn.end());
        fail(drawn.end());
        return outcome(drawn.end());
    }

    private CompletionStage<Outcome> async(ConsumerRecord<byte[], byte[]> record, int number) throws Exception {
        SimShareDelivery delivery = begin(record, number);
        SimBehaviour drawn = draw();
        if (world.random.nextInt(3) == 0) {
            live(delivery, drawn, drawn.end());
            fail(drawn.end());
            return CompletableFuture.completedFuture(outcome(drawn.end()));
        }
        CompletableFuture<Outcome> stage = drawn.stubborn() ? new Stubborn() : new CompletableFuture<>();
        delivery.pends();
        int attempt = delivery.attempts;
        Runnable completes = () -> complete(stage, delivery, attempt, drawn.end());
        if (drawn.way() == SimBehaviour.Way.HANGS) {
            world.atCalm(completes);
        } else {
            world.sim.clock().schedule(Duration.ofNanos(drawn.nanos()), completes);
        }
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
        switch (end.kind()) {
            case FAILED -> stage.completeExceptionally(new SimHandlers.Mendable());
            case HOPELESS -> stage.completeExceptionally(new SimHandlers.Hopeless());
            default -> stage.complete(outcome(end));
        }
    }

    /** @param number what the engine says, 0 when it does not */
    private SimShareDelivery begin(ConsumerRecord<byte[], byte[]> record, int number) {
        if (process.isDead()) {
            throw new SimHandlers.Mendable();
        }
        SimShareDelivery delivery = process.begins(record);
        if (number > 0 && number != delivery.attempts && !delivery.isUnsure) {
            world.check.breach("B100 attempt " + number + " should be that of " + delivery);
        }
        return delivery;
    }

    private SimBehaviour draw() {
        return SimBehaviour.drawn(world.random, world.plan, world.isCalm());
    }

    private void live(SimShareDelivery delivery, SimBehaviour drawn, SimEnd end) throws InterruptedException {
        int attempt = delivery.attempts;
        boolean interrupted = true;
        try {
            spend(drawn);
            interrupted = false;
        } finally {
            if (!process.isDead()) {
                world.check.ends(delivery, attempt, interrupted ? SimEnd.FAILED : end);
            }
        }
        if (process.isDead()) {
            throw new SimHandlers.Mendable();
        }
        if (isCareless()) {
            Thread.currentThread().interrupt(); // As libraries do that were interrupted long ago.
        }
    }

    /** Whether a handler leaves behind what others have to bear. */
    private boolean isCareless() {
        return !world.isCalm() && world.random.nextInt(30) == 0;
    }

    private void fail(SimEnd end) {
        switch (end.kind()) {
            case FAILED -> {
                if (isCareless()) {
                    throw new SimHandlers.MendableError();
                }
                throw new SimHandlers.Mendable();
            }
            case HOPELESS -> throw new SimHandlers.Hopeless();
            default -> {
                // The outcome says the rest.
            }
        }
    }

    private void spend(SimBehaviour drawn) throws InterruptedException {
        long until = world.sim.clock().nanoTime() + drawn.nanos();
        boolean again = true;
        while (again) {
            again = false;
            try {
                Duration left =
                        Duration.ofNanos(Math.max(0, until - world.sim.clock().nanoTime()));
                switch (drawn.way()) {
                    case AT_ONCE -> {}
                    case YIELDS -> world.sim.yieldNow();
                    case WAITS -> world.sim.sleep(left);
                    case COMPUTES -> host.compute(left);
                    case HANGS -> world.sim.scheduler().await(world::isCalm, Duration.ofHours(1));
                }
            } catch (InterruptedException given) {
                again = drawn.stubborn() && drawn.way() != SimBehaviour.Way.HANGS;
                if (!drawn.stubborn()) {
                    if (world.random.nextBoolean()) {
                        Thread.currentThread().interrupt(); // As is good manners.
                    }
                    throw given;
                }
            }
        }
    }

    private static Outcome outcome(SimEnd end) {
        return switch (end.kind()) {
            case DONE -> Outcome.done();
            case SKIP -> Outcome.skip("simulated");
            case RETRY -> Outcome.retryAfter(Duration.ofNanos(end.delayNanos()));
            case DEAD_LETTER -> Outcome.deadLetter("simulated");
            case STOP -> Outcome.stop("simulated");
            case FAILED, HOPELESS -> throw new IllegalStateException("a failure has no outcome");
        };
    }
}
