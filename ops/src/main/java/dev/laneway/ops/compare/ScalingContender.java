package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.DetailedController;
import java.util.List;
import java.util.function.Function;

/**
 * A policy in the comparison. Immutable.
 *
 * @param name in tables
 * @param settings what it is set to, and whose defaults these are
 * @param starts makes one that has seen nothing yet, for a load of which it may know how much state moves and how much
 *     processor time a record takes: what its owner knows, too
 */
public record ScalingContender(String name, String settings, Function<LoadCase, DetailedController> starts) {
    /** The name of this project's policy. */
    public static final String OURS = "laneway";

    /** All of them, this project's last. Their settings are constants: they are the same for each load and seed. */
    public static final List<ScalingContender> ALL = List.of(
            new ScalingContender(
                    "static", "as many members as partitions, always", _ -> new StaticMembers(LoadCases.MOST_MEMBERS)),
            new ScalingContender(
                    "hpa-cpu-60",
                    "HorizontalPodAutoscaler at 60 % of the processors, its other defaults",
                    load -> new CpuReplicas(0.6, load.cpuSeconds())),
            new ScalingContender(
                    "hpa-cpu-80",
                    "HorizontalPodAutoscaler at 80 % of the processors, its other defaults",
                    load -> new CpuReplicas(0.8, load.cpuSeconds())),
            new ScalingContender(
                    "keda-lag-10",
                    "KEDA's Kafka trigger with its default lagThreshold of 10",
                    _ -> new LagReplicas(10)),
            new ScalingContender(
                    "keda-lag-goal",
                    "the same with half of what a member does within the goal as lagThreshold",
                    load -> new LagReplicas(Math.round(LoadCases.GOAL_SECONDS / load.cpuSeconds() / 2))),
            new ScalingContender(
                    "flink",
                    "Flink's autoscaler (DS2) with its defaults",
                    _ -> new FlinkParallelism(FlinkParallelism.USUAL)),
            new ScalingContender(
                    "flink-quick",
                    "the same with its documents' example: window 5 min, stabilization 1 min, target 0.6, boundary"
                            + " 0.2, restart 2 min, catch-up 5 min",
                    _ -> new FlinkParallelism(FlinkParallelism.EXAMPLE)),
            new ScalingContender(
                    "bin-packing",
                    "partitions into members by modified worst fit, up to 0.9 of a member's rate, each minute; fewer"
                            + " when they fit into 0.7",
                    _ -> new PackedMembers()),
            new ScalingContender(
                    "laneway",
                    "the usual policy with the goal as latency.goal.seconds, decided each 5 s by rates of a minute",
                    load -> new LanewayMembers(LanewayMembers.USUAL, load)));
}
