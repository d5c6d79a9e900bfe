package dev.laneway.testkit.sim;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.DisconnectException;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection to the cluster. Requests and answers arrive in the order in which they were sent, however
 * long each is delayed. The clock completes the future of an answer; the client handles it later.
 */
final class SimConnection {
    private final SimBroker broker;
    private final String clientId;
    private final long requestTimeoutNanos;
    private long lastArrivalNanos;
    private long lastAnswerNanos;
    private int onTheWay;
    private int onTheWayBack;
    private int unanswered;
    private boolean cut;

    /** No answer within the client's request timeout, as opposed to an error of the cluster. */
    static final class TimedOut extends DisconnectException {
        private static final long serialVersionUID = 1;

        TimedOut(String message) {
            super(message);
        }
    }

    SimConnection(SimBroker broker, String clientId, long requestTimeoutNanos) {
        this.broker = broker;
        this.clientId = clientId;
        this.requestTimeoutNanos = requestTimeoutNanos;
    }

    /** Whether all requests have been answered. */
    boolean isQuiet() {
        return unanswered == 0;
    }

    /** Cuts the client off, so that its requests do not arrive, or connects it again. */
    void cut(boolean off) {
        cut = off;
    }

    /** Whether nothing gets through at the moment. */
    boolean isLost() {
        return cut || broker.isDown();
    }

    /**
     * Sends a request.
     *
     * @param action what the cluster does with it, run when it arrives; it may answer later
     */
    <R> CompletableFuture<R> call(SimOp op, Supplier<CompletableFuture<R>> action) {
        CompletableFuture<R> result = new CompletableFuture<>();
        unanswered++;
        Faults.Action fault = broker.faults().decide(op);
        long delay = broker.faults().latencyNanos() + (fault instanceof Faults.Delay late ? late.nanos() : 0);
        long now = broker.clock().nanoTime();
        long arrival = Math.max(lastArrivalNanos, SimClock.saturatedAdd(now, delay));
        lastArrivalNanos = arrival;
        if (cut || (fault instanceof Faults.Lose lose && !lose.applied())) {
            timeOut(result, op, fault);
        } else if (arrival == now && onTheWay == 0) {
            arrive(op, action, fault, result);
        } else {
            onTheWay++;
            broker.clock().schedule(arrival - now, () -> {
                onTheWay--;
                arrive(op, action, fault, result);
            });
        }
        return result;
    }

    /** As {@link #call}, for requests that the cluster answers at once. */
    <R> CompletableFuture<R> ask(SimOp op, Supplier<R> action) {
        return call(op, () -> CompletableFuture.completedFuture(action.get()));
    }

    /**
     * As {@link #ask}; the handler is run by the clock as soon as there is an answer, with the value or with the error.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the handler gets everything
    <R> void ask(SimOp op, Supplier<R> action, BiConsumer<@Nullable R, @Nullable RuntimeException> handler) {
        ask(op, action)
                .whenComplete((value, error) -> handler.accept(value, error == null ? null : SimFutures.unwrap(error)));
    }

    /** As {@link #ask}, without a use for the answer. */
    void tell(SimOp op, Runnable action) {
        ask(
                op,
                () -> {
                    action.run();
                    return true;
                },
                (ok, error) -> {});
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the continuation gets everything
    private <R> void arrive(
            SimOp op,
            Supplier<CompletableFuture<R>> action,
            Faults.@Nullable Action fault,
            CompletableFuture<R> result) {
        if (broker.isDown()) {
            broker.trace().event("refused", clientId, op);
            answer(result, null, new DisconnectException("the simulated cluster is down"));
            return;
        }
        if (fault instanceof Faults.Fail fail && !fail.applied()) {
            answer(result, null, fail.error().get());
            return;
        }
        CompletableFuture<R> done;
        try {
            done = action.get();
        } catch (RuntimeException e) {
            done = CompletableFuture.failedFuture(e);
        }
        done.whenComplete((value, error) -> {
            if (fault instanceof Faults.Lose) {
                timeOut(result, op, fault);
            } else if (fault instanceof Faults.Fail fail) {
                answer(result, null, fail.error().get());
            } else {
                answer(result, value, error);
            }
        });
    }

    private <R> void answer(CompletableFuture<R> result, @Nullable R value, @Nullable Throwable error) {
        long now = broker.clock().nanoTime();
        long at = Math.max(
                lastAnswerNanos, SimClock.saturatedAdd(now, broker.faults().latencyNanos()));
        lastAnswerNanos = at;
        if (at == now && onTheWayBack == 0) {
            complete(result, value, error);
        } else {
            onTheWayBack++;
            broker.clock().schedule(at - now, () -> {
                onTheWayBack--;
                complete(result, value, error);
            });
        }
    }

    private <R> void timeOut(CompletableFuture<R> result, SimOp op, Faults.@Nullable Action fault) {
        if (fault instanceof Faults.Lose lose && lose.forEver()) {
            return;
        }
        broker.clock().schedule(requestTimeoutNanos, () -> {
            broker.trace().event("request-timeout", clientId, op);
            complete(result, null, new TimedOut("no answer to " + op + " within request.timeout.ms"));
        });
    }

    private <R> void complete(CompletableFuture<R> result, @Nullable R value, @Nullable Throwable error) {
        unanswered--;
        if (error == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(error);
        }
    }
}
