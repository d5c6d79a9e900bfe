package dev.laneway.ops.plan;

/** All that a plan is made of. Immutable. */
public record PlanRequest(Mode mode, Load load, Instance instance, Goals goals, KafkaSettings kafka, LocalState state) {
    /** With Kafka's settings as they are, and no state. */
    public static PlanRequest of(Mode mode, Load load, Instance instance, Goals goals) {
        return new PlanRequest(mode, load, instance, goals, KafkaSettings.USUAL, LocalState.NONE);
    }
}
