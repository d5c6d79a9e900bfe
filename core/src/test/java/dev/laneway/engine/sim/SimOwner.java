package dev.laneway.engine.sim;

import dev.laneway.Health;
import dev.laneway.Options;
import dev.laneway.engine.Member;
import dev.laneway.engine.MemberEngine;
import dev.laneway.engine.RunningConsumer;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The owner of a simulated process: takes turns as {@code OwnerThread} does, for as long as the process lives. */
final class SimOwner {
    private final MemberEngine engine;
    private final SimHost host;
    private long turns;
    private long turnsNow;
    private long turnedAtNanos = -1;

    SimOwner(MemberEngine engine, SimHost host) {
        this.engine = engine;
        this.host = host;
    }

    /**
     * Takes all turns.
     *
     * @param goesOn called after each turn but the last; whether the run does
     * @param ending called before the end
     * @param ended called with the failure, or null, unless the process has died
     */
    void own(BooleanSupplier goesOn, Runnable ending, Consumer<@Nullable Throwable> ended) {
        Throwable crash = null;
        try {
            engine.start();
            while (engine.step() && !host.isDead()) {
                turns++;
                if (!goesOn.getAsBoolean()) {
                    return;
                }
            }
        } catch (Throwable failure) {
            crash = failure;
        }
        if (!host.isDead()) {
            ending.run();
            engine.end(crash);
        }
        if (!host.isDead()) {
            ended.accept(engine.core().lifecycle().failure());
        }
    }

    long turns() {
        return turns;
    }

    /** How many turns it has taken since time stood still. */
    long turnsNow(long nowNanos) {
        turnsNow = nowNanos == turnedAtNanos ? turnsNow + 1 : 1;
        turnedAtNanos = nowNanos;
        return turnsNow;
    }

    Health health(Options options) {
        Member member = new Member(engine);
        return new RunningConsumer(List.of(member), options, engine.core().conditions(), null).health();
    }
}
