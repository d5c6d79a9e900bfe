package dev.laneway.engine;

import dev.laneway.engine.config.RecordBudget;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many records may be held now. It begins small, since collections copy what is held for long, and doubles when
 * workers find nothing to do though records are held back: those that are held are all being handled, or wait for keys
 * that are. It never shrinks. The owner only.
 */
final class RecordReserve {
    private static final Logger log = LoggerFactory.getLogger(RecordReserve.class);
    /** So much oftener than not workers must have been seen idle: where the processors are busy they are at times. */
    private static final int IDLE_LOOKS = 16;

    private final long most;
    private final BooleanSupplier idle;
    private volatile long records;
    private int idleLooks;
    /** Whether the latest poll brought records. */
    private boolean fed;
    /** Whether a poll has brought records since it grew: else nobody knows yet whether it is enough. */
    private boolean tried = true;

    /** @param idle whether workers are free and find nothing to do */
    RecordReserve(RecordBudget budget, BooleanSupplier idle) {
        this.records = budget.first();
        this.most = budget.most();
        this.idle = idle;
    }

    static RecordReserve fixed(long records) {
        return new RecordReserve(RecordBudget.fixed(records), () -> false);
    }

    /** What it never passes. */
    long most() {
        return most;
    }

    /** Any thread. */
    long records() {
        return records;
    }

    /** A poll has brought records. */
    void fed() {
        fed = true;
        tried = true;
    }

    /**
     * Once a turn; says whether it has grown. What is seen right after records have come says nothing: workers have yet
     * to take them.
     *
     * @param heldBack whether partitions may fetch nothing for want of room
     */
    boolean turn(boolean heldBack) {
        long before = records;
        if (!heldBack) {
            idleLooks = 0;
        } else if (!fed && tried && records < most) {
            idleLooks = idle.getAsBoolean() ? idleLooks + 1 : Math.max(0, idleLooks - 1);
            if (idleLooks == IDLE_LOOKS) {
                grow();
            }
        }
        fed = false;
        return records > before;
    }

    /** Whether workers were idle the last time, so that another look is due soon. */
    boolean isWatched() {
        return idleLooks > 0;
    }

    private void grow() {
        records = Math.min(most, 2 * records);
        idleLooks = 0;
        tried = false;
        log.debug("workers find nothing to do: up to {} records may be held from now on", records);
    }
}
