package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.Controller;
import dev.laneway.ops.simulate.DetailedController;
import dev.laneway.ops.simulate.GroupDetail;
import dev.laneway.ops.simulate.Tick;

/** Always as many. */
final class StaticMembers implements DetailedController {
    private final int members;

    StaticMembers(int members) {
        this.members = members;
    }

    @Override
    public Controller.Decision decide(Tick tick, GroupDetail detail) {
        return new Controller.Decision(members, tick.concurrency());
    }
}
