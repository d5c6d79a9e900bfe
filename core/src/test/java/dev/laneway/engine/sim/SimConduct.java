package dev.laneway.engine.sim;

import dev.laneway.Outcome;
import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** How handlers behave, whichever kind of group their records come from: the seed decides. */
final class SimConduct {
    private final Simulation sim;
    private final SplittableRandom random;
    private final SimPlan plan;
    private final SimCourse course;
    private final SimHost host;
    private final int carelessOnceIn;

    /** What a handler throws when another attempt may help. */
    static final class Mendable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Mendable() {
            super("simulated", null, false, false);
        }
    }

    /** As {@link Mendable}, by a handler that overflows its stack, say. */
    static final class MendableError extends Error {
        private static final long serialVersionUID = 1;

        MendableError() {
            super("simulated", null, false, false);
        }
    }

    /** What it throws when none would. */
    static final class Hopeless extends RuntimeException {
        private static final long serialVersionUID = 1;

        Hopeless() {
            super("simulated", null, false, false);
        }
    }

    /** A stage that goes on when it is cancelled. */
    private static final class Stubborn extends CompletableFuture<Outcome> {
        @Override
        public boolean cancel(boolean mayInterrupt) {
            return false;
        }
    }

    /** @param carelessOnceIn how rarely a handler leaves behind what others have to bear; 0 for never */
    SimConduct(
            Simulation sim, SplittableRandom random, SimPlan plan, SimCourse course, SimHost host, int carelessOnceIn) {
        this.sim = sim;
        this.random = random;
        this.plan = plan;
        this.course = course;
        this.host = host;
        this.carelessOnceIn = carelessOnceIn;
    }

    SimBehaviour draw() {
        return SimBehaviour.drawn(random, plan, course.isCalm());
    }

    /** How a handler ends that can only return or throw. */
    static SimEnd plain(SimBehaviour drawn) {
        return switch (drawn.end().kind()) {
            case FAILED, HOPELESS -> drawn.end();
            default -> SimEnd.DONE;
        };
    }

    /** What a handler returns that ends later. */
    static CompletableFuture<Outcome> stage(SimBehaviour drawn) {
        return drawn.stubborn() ? new Stubborn() : new CompletableFuture<>();
    }

    /** Has it done when what was drawn says so. */
    void later(SimBehaviour drawn, Runnable completes) {
        if (drawn.way() == SimBehaviour.Way.HANGS) {
            course.atCalm(completes);
        } else {
            sim.clock().schedule(Duration.ofNanos(drawn.nanos()), completes);
        }
    }

    /** @param emitted the outcome where the record is done */
    static void complete(CompletableFuture<Outcome> stage, SimEnd end, Supplier<Outcome> emitted) {
        switch (end.kind()) {
            case FAILED -> stage.completeExceptionally(new Mendable());
            case HOPELESS -> stage.completeExceptionally(new Hopeless());
            default -> stage.complete(outcome(end, emitted));
        }
    }

    /** @param emitted the outcome where the record is done */
    static Outcome outcome(SimEnd end, Supplier<Outcome> emitted) {
        return switch (end.kind()) {
            case DONE -> emitted.get();
            case SKIP -> Outcome.skip("simulated");
            case RETRY -> Outcome.retryAfter(Duration.ofNanos(end.delayNanos()));
            case DEAD_LETTER -> Outcome.deadLetter("simulated");
            case STOP -> Outcome.stop("simulated");
            case FAILED, HOPELESS -> throw new IllegalStateException("a failure has no outcome");
        };
    }

    void fail(SimEnd end) {
        switch (end.kind()) {
            case FAILED -> {
                if (isCareless()) {
                    throw new MendableError();
                }
                throw new Mendable();
            }
            case HOPELESS -> throw new Hopeless();
            default -> {
                // The outcome says the rest.
            }
        }
    }

    /** The handler is about to return. */
    void leave() {
        if (host.isDead()) {
            throw new Mendable();
        }
        if (isCareless()) {
            Thread.currentThread().interrupt(); // As libraries do that were interrupted long ago.
        }
    }

    private boolean isCareless() {
        return carelessOnceIn > 0 && !course.isCalm() && random.nextInt(carelessOnceIn) == 0;
    }

    void spend(SimBehaviour drawn) throws InterruptedException {
        long until = sim.clock().nanoTime() + drawn.nanos();
        boolean again = true;
        while (again) {
            again = false;
            try {
                Duration left = Duration.ofNanos(Math.max(0, until - sim.clock().nanoTime()));
                switch (drawn.way()) {
                    case AT_ONCE -> {}
                    case YIELDS -> sim.yieldNow();
                    case WAITS -> sim.sleep(left);
                    case COMPUTES -> host.compute(left);
                    case HANGS -> sim.scheduler().await(course::isCalm, Duration.ofHours(1));
                }
            } catch (InterruptedException limit) {
                again = drawn.stubborn() && drawn.way() != SimBehaviour.Way.HANGS;
                if (!drawn.stubborn()) {
                    if (random.nextBoolean()) {
                        Thread.currentThread().interrupt(); // As is good manners.
                    }
                    throw limit;
                }
            }
        }
    }
}
