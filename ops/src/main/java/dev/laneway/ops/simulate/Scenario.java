package dev.laneway.ops.simulate;

import java.util.List;

/**
 * All that a simulation is made of. Immutable.
 *
 * @param backlog records that wait in the log at the start
 * @param downstream calls that what the handlers call answers at once; with more, each takes longer in proportion; 0
 *     for no such limit
 */
public record Scenario(
        Group group,
        Traffic traffic,
        long backlog,
        Keys keys,
        ServiceTime service,
        int downstream,
        List<Disturbance> disturbances,
        Rescaling rescaling,
        Span span) {
    /** Copies the list, and checks the rest. */
    public Scenario {
        disturbances = List.copyOf(disturbances);
        Check.between("backlog", (double) backlog, 0, 1e15);
        Check.notNegative("downstream", downstream);
    }

    /** With nothing that goes wrong. */
    public static Scenario of(Group group, Traffic traffic, Keys keys, ServiceTime service, Span span) {
        return new Scenario(group, traffic, 0, keys, service, 0, List.of(), Rescaling.USUAL, span);
    }

    /** The same with another group. */
    public Scenario withGroup(Group other) {
        return new Scenario(other, traffic, backlog, keys, service, downstream, disturbances, rescaling, span);
    }

    /** The same with records that wait at the start. */
    public Scenario withBacklog(long records) {
        return new Scenario(group, traffic, records, keys, service, downstream, disturbances, rescaling, span);
    }

    /** The same with another limit of what handlers call. */
    public Scenario withDownstream(int calls) {
        return new Scenario(group, traffic, backlog, keys, service, calls, disturbances, rescaling, span);
    }

    /** The same with other things that go wrong. */
    public Scenario withDisturbances(List<Disturbance> others) {
        return new Scenario(group, traffic, backlog, keys, service, downstream, others, rescaling, span);
    }

    /** The same with another cost of changes. */
    public Scenario withRescaling(Rescaling other) {
        return new Scenario(group, traffic, backlog, keys, service, downstream, disturbances, other, span);
    }
}
