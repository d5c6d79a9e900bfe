package dev.laneway.ops.plan;

/**
 * All that a plan is made of. Immutable.
 *
 * @param measured what instances were measured to sustain, which caps what their workers would do
 */
public record PlanRequest(
        Mode mode,
        Load load,
        Instance instance,
        Goals goals,
        KafkaSettings kafka,
        LocalState state,
        MeasuredInstance measured) {
    /** With Kafka's settings as they are, no state, and nothing measured of whole instances. */
    public static PlanRequest of(Mode mode, Load load, Instance instance, Goals goals) {
        return new PlanRequest(
                mode, load, instance, goals, KafkaSettings.USUAL, LocalState.NONE, MeasuredInstance.NONE);
    }

    /** The same for another mode. */
    PlanRequest with(Mode other) {
        return new PlanRequest(other, load, instance, goals, kafka, state, measured);
    }

    /** The same without what was measured of whole instances. */
    PlanRequest unmeasured() {
        return new PlanRequest(mode, load, instance, goals, kafka, state, MeasuredInstance.NONE);
    }

    /** The same with another load. */
    PlanRequest with(Load other) {
        return new PlanRequest(mode, other, instance, goals, kafka, state, measured);
    }

    /** The same with other instances. */
    PlanRequest with(Instance other) {
        return new PlanRequest(mode, load, other, goals, kafka, state, measured);
    }
}
