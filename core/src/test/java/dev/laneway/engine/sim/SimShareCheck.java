package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.Simulation;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What must hold at each call of a handler, each acknowledgement, each poll and each turn of a share group's members.
 * The first breach is kept for the driver: what is thrown inside the engine would be taken for a handler's failure.
 */
final class SimShareCheck extends SimVerdict {
    private static final int MOST_TURNS_PER_INSTANT = 2_000;

    private final SimPlan plan;
    /** The latest delivery of each record that a poll has returned, by anybody. */
    private final Map<String, SimShareDelivery> latest = new HashMap<>();

    SimShareCheck(Simulation sim, SimPlan plan) {
        super(sim);
        this.plan = plan;
    }

    static String name(TopicPartition id, long offset) {
        return id + "@" + offset;
    }

    /** The latest delivery of the record that a poll returned; null when there was none. */
    @Nullable
    SimShareDelivery latest(TopicPartition id, long offset) {
        return latest.get(name(id, offset));
    }

    // ---------------------------------------------------------------- the member

    void polled(SimShareDelivery delivery) {
        sim.trace().event("poll", delivery.toString());
        latest.put(name(delivery.id, delivery.offset), delivery);
    }

    /** A handler is called. */
    void begins(SimShareProcess process, SimShareDelivery delivery) {
        breach(process.whyNotBegin(delivery), "begins: " + delivery);
        breach(delivery.whyNotBegin(now(), process.isHastened(delivery)), "begins: " + delivery);
        if (Thread.currentThread().isInterrupted()) {
            breach("B47 begins with an interrupt that was meant for another: " + delivery);
        }
        delivery.begins(now());
        sim.trace().event("begin", delivery.toString());
        checkHeld(process);
    }

    void ends(SimShareDelivery delivery, int attempt, SimEnd end) {
        delivery.ends(attempt, end, now());
        sim.trace().event("end", delivery.toString(), end.kind());
    }

    void acknowledges(SimShareProcess process, SimShareDelivery delivery, AcknowledgeType type) {
        sim.trace().event("says", type, delivery.toString());
        breach(delivery.whyNotSay(type, now()), "says " + type + ": " + delivery);
        if (type == AcknowledgeType.RELEASE) {
            breach(process.whyNotRelease(delivery), "releases: " + delivery);
        }
        if (type == AcknowledgeType.RENEW) {
            delivery.renewingNanos = now();
        } else {
            delivery.said = type;
        }
    }

    /** After each turn of an owner. */
    void turned(SimShareProcess process) {
        if (process.owner.turnsNow(now()) > MOST_TURNS_PER_INSTANT) {
            breach("B30 " + process + " spins: " + MOST_TURNS_PER_INSTANT + " turns while no time passes");
        }
        checkHeld(process);
    }

    private void checkHeld(SimShareProcess process) {
        long records = process.held();
        if (records > plan.maxPollRecords) {
            breach("B100 " + process + " holds " + records + " records, more than " + plan.maxPollRecords);
        }
    }

    // ---------------------------------------------------------------- the broker

    /** A lock runs out. Renewals keep it, unless faults keep them from the broker. */
    void expires(SimShareGroup.Slot slot) {
        SimShareDelivery delivery = latest(slot.id, slot.offset);
        if (delivery != null
                && delivery.number == slot.deliveries
                && delivery.owner.name.equals(slot.holder)
                && !delivery.owner.isEnded()
                && delivery.lostNanos < 0
                && !delivery.isRefused
                && !delivery.owner.isTroubledSince(slot.lockedNanos)) {
            breach("B91 a lock runs out although renewals reach the broker: " + slot + "; " + delivery);
        }
    }
}
