package dev.laneway.assign;

import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignmentUtils;
import org.apache.kafka.streams.processor.assignment.TaskAssignor;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each stream thread of a Kafka Streams application about the same load, where Kafka's assignors give each about
 * as many tasks. Set {@code task.assignor.class=dev.laneway.assign.LoadTaskAssignor} in all instances (KIP-924).
 *
 * <p>The load of a task is that of the partitions that it reads, as {@link LoadAssignor} takes it, with the same
 * settings. A process with twice as many threads gets twice as much. Tasks stay where they are unless a move gains
 * enough. A stateful task moves when its state is there: until then it runs where the state is
 * ({@code acceptable.recovery.lag}), the process that shall have it gets a warm-up ({@code max.warmup.replicas} at a
 * time), and the next rebalance looks again ({@code probing.rebalance.interval.ms}). Standbys are placed as Kafka does.
 * Which thread of its process runs a task is Kafka's choice, by count.
 *
 * <p>For the classic protocol: with {@code group.protocol=streams} tasks are the broker's to give. Used by the thread
 * that polls.
 */
public final class LoadTaskAssignor implements TaskAssignor {
    private static final Logger LOG = LoggerFactory.getLogger(LoadTaskAssignor.class);

    private @Nullable Function<List<TopicPartition>, Map<TopicPartition, Double>> loads;
    private AssignorSettings settings = AssignorSettings.of(Map.of());

    /** For Kafka Streams, which calls {@link #configure} next. */
    public LoadTaskAssignor() {}

    /** @param loads of the partitions, each above 0 */
    LoadTaskAssignor(Function<List<TopicPartition>, Map<TopicPartition, Double>> loads, AssignorSettings settings) {
        this.loads = loads;
        this.settings = settings;
    }

    @Override
    public void configure(Map<String, ?> configs) {
        settings = AssignorSettings.of(configs);
        Map<String, Object> properties = new HashMap<>(configs);
        configs.forEach((name, value) -> {
            if (name.startsWith(StreamsConfig.ADMIN_CLIENT_PREFIX)) {
                properties.put(name.substring(StreamsConfig.ADMIN_CLIENT_PREFIX.length()), value);
            }
        });
        // Kafka Streams begins at the start unless its consumer is told otherwise.
        String group = String.valueOf(configs.get(StreamsConfig.APPLICATION_ID_CONFIG));
        boolean isFromStart = !"latest".equals(String.valueOf(configs.get("auto.offset.reset")))
                && !"latest".equals(String.valueOf(configs.get("consumer.auto.offset.reset")))
                && !"latest".equals(String.valueOf(configs.get("main.consumer.auto.offset.reset")));
        loads = new Loads(properties, group, isFromStart, settings)::of;
    }

    @Override
    public TaskAssignment assign(ApplicationState application) {
        Map<ProcessId, KafkaStreamsState> states = application.kafkaStreamsStates(true);
        List<KafkaStreamsState> processes = states.values().stream()
                .sorted(Comparator.comparing(KafkaStreamsState::processId))
                .toList();
        List<TaskInfo> tasks = application.allTasks().values().stream()
                .sorted(Comparator.comparing(TaskInfo::id))
                .toList();
        int[] plan = plan(processes, tasks);
        Map<ProcessId, KafkaStreamsAssignment> assignments = new HashMap<>();
        processes.forEach(process ->
                assignments.put(process.processId(), KafkaStreamsAssignment.of(process.processId(), new HashSet<>())));
        int waiting = place(application, processes, tasks, plan, assignments);
        if (application.assignmentConfigs().numStandbyReplicas() > 0) {
            TaskAssignmentUtils.defaultStandbyTaskAssignment(application, assignments);
        }
        if (waiting > 0 && !processes.isEmpty()) {
            Instant next =
                    Instant.now().plusMillis(application.assignmentConfigs().probingRebalanceIntervalMs());
            assignments.computeIfPresent(
                    processes.getFirst().processId(), (_, first) -> first.withFollowupRebalance(next));
        }
        LOG.info(
                "{} tasks for {} processes; {} wait elsewhere for their state",
                tasks.size(),
                processes.size(),
                waiting);
        return new TaskAssignment(assignments.values());
    }

    private int[] plan(List<KafkaStreamsState> processes, List<TaskInfo> tasks) {
        List<List<TopicPartition>> sources =
                tasks.stream().map(LoadTaskAssignor::sources).toList();
        List<TopicPartition> all =
                sources.stream().flatMap(List::stream).distinct().toList();
        Map<TopicPartition, Double> load = loads == null ? Loads.filled(Map.of(), all) : loads.apply(all);
        Map<TaskId, Integer> owners = new HashMap<>();
        for (int process = 0; process < processes.size(); process++) {
            for (TaskId task : processes.get(process).previousActiveTasks()) {
                owners.putIfAbsent(task, process);
            }
        }
        double[] threads = processes.stream()
                .mapToDouble(process -> Math.max(1, process.numProcessingThreads()))
                .toArray();
        double[] weights = new double[tasks.size()];
        Arrays.setAll(
                weights,
                task -> sources.get(task).stream().mapToDouble(load::get).sum());
        return LoadBalance.plan(
                positive(weights),
                threads,
                tasks.stream()
                        .mapToInt(task -> owners.getOrDefault(task.id(), LoadBalance.NOBODY))
                        .toArray(),
                (_, _) -> true,
                settings.tolerance(),
                settings.mostMoves());
    }

    private static List<TopicPartition> sources(TaskInfo task) {
        return task.topicPartitions().stream()
                .filter(TaskTopicPartition::isSource)
                .map(TaskTopicPartition::topicPartition)
                .toList();
    }

    /** A task that reads nothing still is one. */
    private static double[] positive(double[] weights) {
        double least = Arrays.stream(weights).filter(weight -> weight > 0).min().orElse(1);
        return Arrays.stream(weights).map(weight -> weight > 0 ? weight : least).toArray();
    }

    /** Places active tasks, and warm-ups; returns how many tasks are not yet where the plan has them. */
    private static int place(
            ApplicationState application,
            List<KafkaStreamsState> processes,
            List<TaskInfo> tasks,
            int[] plan,
            Map<ProcessId, KafkaStreamsAssignment> assignments) {
        long acceptable = application.assignmentConfigs().acceptableRecoveryLag();
        int warmups = 0;
        int waiting = 0;
        for (int task = 0; task < plan.length; task++) {
            if (plan[task] == LoadBalance.NOBODY) {
                continue; // There is no process.
            }
            KafkaStreamsState planned = processes.get(plan[task]);
            TaskInfo info = tasks.get(task);
            KafkaStreamsState now = info.isStateful() ? best(info.id(), planned, processes, acceptable) : planned;
            assign(assignments, now, info.id(), AssignedTask.Type.ACTIVE);
            if (!now.processId().equals(planned.processId())) {
                waiting++;
                boolean isStandby = planned.previousStandbyTasks().contains(info.id());
                if (isStandby || warmups < application.assignmentConfigs().maxWarmupReplicas()) {
                    assign(assignments, planned, info.id(), AssignedTask.Type.STANDBY);
                    warmups += isStandby ? 0 : 1;
                }
            }
        }
        return waiting;
    }

    private static void assign(
            Map<ProcessId, KafkaStreamsAssignment> assignments,
            KafkaStreamsState process,
            TaskId task,
            AssignedTask.Type type) {
        KafkaStreamsAssignment assignment = assignments.get(process.processId());
        if (assignment != null) {
            assignment.assignTask(new AssignedTask(task, type));
        }
    }

    /** Where a stateful task runs now: as planned if the state is there, or is nowhere; else where it is. */
    private static KafkaStreamsState best(
            TaskId task, KafkaStreamsState planned, List<KafkaStreamsState> processes, long acceptable) {
        if (planned.lagFor(task) <= acceptable) {
            return planned;
        }
        List<KafkaStreamsState> ready = processes.stream()
                .filter(process -> process.lagFor(task) <= acceptable)
                .toList();
        return ready.stream()
                .filter(process -> process.previousActiveTasks().contains(task))
                .findFirst()
                .or(() -> ready.stream().min(Comparator.comparingLong(process -> process.lagFor(task))))
                .orElse(planned);
    }
}
