package dev.laneway.engine.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A lock in which nobody queues, for what is short and wanted by thousands of virtual threads and by the owner.
 * Reentrant; {@code try (var _ = guard.enter()) { ... }}.
 *
 * <p>Whoever waits for a monitor or a fair lock is handed it in turn. A virtual thread has then yet to be mounted,
 * behind all those that can run, and nobody behind it gets the lock meanwhile: with 10,000 at once the owner waited 25
 * ms for a look at a partition. Here the first to come gets it, so the owner waits for the holder alone.
 *
 * <p>Giving it back is a release and no fence: what is written under the guard and then looked at by others without it
 * must be volatile where the writer looks at something of theirs next.
 */
public final class Guard implements AutoCloseable {
    /** Looks before a thread makes room for others: a holder that runs has mostly given it back by then. */
    private static final int SPINS = 32;
    /** Turns given to others before a thread sleeps: the holder's own thread may be one of lower priority. */
    private static final int YIELDS = 256;

    private static final long NAP_NANOS = 50_000;

    private static final VarHandle HOLDER;

    static {
        try {
            HOLDER = MethodHandles.lookup().findVarHandle(Guard.class, "holder", Thread.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private volatile @Nullable Thread holder;
    /** How often the holder has entered beyond the first time. Guarded by itself. */
    private int again;

    /** Waits until the lock is free, and takes it. */
    public Guard enter() {
        if (!tryEnter()) {
            contend();
        }
        return this;
    }

    /** Takes the lock if no other thread has it. */
    public boolean tryEnter() {
        if (isMine()) {
            again++;
            return true;
        }
        return holder == null && HOLDER.compareAndSet(this, null, Thread.currentThread());
    }

    @SuppressWarnings("ReferenceEquality") // A thread is equal to itself alone.
    private boolean isMine() {
        return holder == Thread.currentThread();
    }

    @SuppressWarnings("ThreadPriorityCheck") // A yield is a courtesy: the nap guarantees progress.
    private void contend() {
        boolean interrupted = false;
        for (int tries = 0; !tryEnter(); tries++) {
            if (tries < SPINS) {
                Thread.onSpinWait();
            } else if (tries < YIELDS) {
                Thread.yield();
            } else {
                // An interrupted thread would not sleep. Virtual ones that only yield stay in the queue of their
                // carrier, which then never looks where a holder may be that another thread has woken.
                interrupted |= Thread.interrupted();
                LockSupport.parkNanos(this, NAP_NANOS);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Gives the lock back.
     *
     * @throws IllegalMonitorStateException if the calling thread does not hold it
     */
    @Override
    public void close() {
        if (!isMine()) {
            throw new IllegalMonitorStateException("the guard is held by " + holder);
        }
        if (again > 0) {
            again--;
        } else {
            HOLDER.setRelease(this, null);
        }
    }
}
