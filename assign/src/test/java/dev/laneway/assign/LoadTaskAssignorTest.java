package dev.laneway.assign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignmentUtils;
import org.apache.kafka.streams.processor.assignment.TaskAssignor;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;
import org.apache.kafka.streams.state.HostInfo;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Applications with processes that come and go, judged by Kafka's own check of assignments. */
class LoadTaskAssignorTest {
    private static final long ACCEPTABLE = 10_000;

    /** A process of the application, and what it has. */
    private static final class Instance implements KafkaStreamsState {
        final ProcessId id;
        final int threads;
        final NavigableSet<TaskId> active = new TreeSet<>();
        final NavigableSet<TaskId> standby = new TreeSet<>();
        final Map<TaskId, Long> lags = new HashMap<>();

        Instance(long number, int threads) {
            this.id = new ProcessId(new UUID(0, number));
            this.threads = threads;
        }

        @Override
        public ProcessId processId() {
            return id;
        }

        @Override
        public int numProcessingThreads() {
            return threads;
        }

        @Override
        public SortedSet<String> consumerClientIds() {
            return new TreeSet<>(Set.of("client-" + id));
        }

        @Override
        public SortedSet<TaskId> previousActiveTasks() {
            return active;
        }

        @Override
        public SortedSet<TaskId> previousStandbyTasks() {
            return standby;
        }

        @Override
        public long lagFor(TaskId task) {
            return active.contains(task) ? -2 : lags.getOrDefault(task, 1_000_000L);
        }

        @Override
        public SortedSet<TaskId> prevTasksByLag(String consumer) {
            return new TreeSet<>(active);
        }

        @Override
        public Map<TaskId, Long> statefulTasksToLagSums() {
            return lags;
        }

        @Override
        public Optional<HostInfo> hostInfo() {
            return Optional.empty();
        }

        @Override
        public Map<String, String> clientTags() {
            return Map.of();
        }

        @Override
        public Optional<String> rackId() {
            return Optional.empty();
        }
    }

    private record Task(TaskId id, boolean isStateful) implements TaskInfo {
        @Override
        public Set<String> stateStoreNames() {
            return isStateful ? Set.of("store") : Set.of();
        }

        @Override
        public Set<TaskTopicPartition> topicPartitions() {
            TaskTopicPartition source = topicPartition("in-");
            return isStateful ? Set.of(source, topicPartition("changelog-")) : Set.of(source);
        }

        private TaskTopicPartition topicPartition(String prefix) {
            return new TaskTopic(new TopicPartition(prefix + id.subtopology(), id.partition()));
        }
    }

    private record TaskTopic(TopicPartition topicPartition) implements TaskTopicPartition {
        @Override
        public boolean isSource() {
            return !isChangelog();
        }

        @Override
        public boolean isChangelog() {
            return topicPartition.topic().startsWith("changelog-");
        }

        @Override
        public Optional<Set<String>> rackIds() {
            return Optional.empty();
        }
    }

    /** An application with its loads. */
    private static final class Application implements ApplicationState {
        final Map<ProcessId, Instance> processes = new TreeMap<>();
        final Map<TaskId, TaskInfo> tasks = new TreeMap<>();
        final Map<TopicPartition, Double> loads = new HashMap<>();
        final int standbys;

        Application(int standbys) {
            this.standbys = standbys;
        }

        Instance process(int number, int threads) {
            Instance process = new Instance(number, threads);
            processes.put(process.id, process);
            return process;
        }

        void task(int subtopology, int partition, boolean isStateful, double load) {
            TaskId id = new TaskId(subtopology, partition);
            tasks.put(id, new Task(id, isStateful));
            loads.put(new TopicPartition("in-" + subtopology, partition), load);
        }

        @Override
        public Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(boolean isWithLags) {
            return new TreeMap<>(processes);
        }

        @Override
        public AssignmentConfigs assignmentConfigs() {
            return new AssignmentConfigs(ACCEPTABLE, 2, standbys, 600_000L, List.of());
        }

        @Override
        public Map<TaskId, TaskInfo> allTasks() {
            return tasks;
        }

        /** Assigns, and lets processes have what they are given; returns it. */
        Collection<KafkaStreamsAssignment> assign() {
            LoadTaskAssignor assignor = new LoadTaskAssignor(
                    asked -> asked.stream().collect(Collectors.toMap(each -> each, loads::get)),
                    AssignorSettings.of(Map.of()));
            TaskAssignor.TaskAssignment assignment = assignor.assign(this);
            assertThat(TaskAssignmentUtils.validateTaskAssignment(this, assignment))
                    .isEqualTo(TaskAssignor.AssignmentError.NONE);
            for (KafkaStreamsAssignment each : assignment.assignment()) {
                Instance process = processes.get(each.processId());
                process.active.clear();
                process.standby.clear();
                for (AssignedTask task : each.tasks().values()) {
                    (task.type() == AssignedTask.Type.ACTIVE ? process.active : process.standby).add(task.id());
                }
            }
            return assignment.assignment();
        }

        /** Those that have the state of a task now have all of it. */
        void restore() {
            for (Instance process : processes.values()) {
                process.standby.forEach(task -> process.lags.put(task, 0L));
            }
        }

        double load(Instance process) {
            return process.active.stream()
                    .mapToDouble(task -> loads.get(new TopicPartition("in-" + task.subtopology(), task.partition())))
                    .sum();
        }

        List<TaskId> active() {
            return processes.values().stream()
                    .flatMap(process -> process.active.stream())
                    .toList();
        }
    }

    @Test
    @DisplayName(
            "B208 A process with twice as many threads gets twice the load, and a hot task has a process for itself")
    void threads() {
        Application application = new Application(0);
        Instance large = application.process(1, 4);
        Instance small = application.process(2, 2);
        for (int partition = 0; partition < 12; partition++) {
            application.task(0, partition, false, 10);
        }
        application.assign();
        assertThat(application.load(large)).isEqualTo(80);
        assertThat(application.load(small)).isEqualTo(40);
        application.task(1, 0, false, 60);
        application.assign();
        assertThat(application.load(large)).isEqualTo(120);
        assertThat(application.load(small)).isEqualTo(60);
    }

    @Test
    @DisplayName(
            "B208 A stateful task moves once its state is there: a warm-up comes first, and the next rebalance is set")
    void warmsUp() {
        Application application = new Application(0);
        Instance first = application.process(1, 1);
        for (int partition = 0; partition < 4; partition++) {
            application.task(0, partition, true, 10);
        }
        application.assign();
        assertThat(first.active).hasSize(4);
        Instance second = application.process(2, 1);
        Collection<KafkaStreamsAssignment> assignment = application.assign();
        assertThat(first.active).as("until the state is there").hasSize(4);
        assertThat(second.standby).hasSize(2);
        assertThat(assignment).anyMatch(each -> each.followupRebalanceDeadline().isPresent());
        application.restore();
        assignment = application.assign();
        assertThat(application.load(first)).isEqualTo(20);
        assertThat(application.load(second)).isEqualTo(20);
        assertThat(assignment)
                .noneMatch(each -> each.followupRebalanceDeadline().isPresent());
    }

    @Test
    @DisplayName("B208 A process that died leaves its stateful tasks to those that have a standby of them")
    void standby() {
        Application application = new Application(1);
        for (int number = 1; number <= 3; number++) {
            application.process(number, 1);
        }
        for (int partition = 0; partition < 6; partition++) {
            application.task(0, partition, true, 10);
        }
        application.assign();
        application.restore();
        Instance dead = application.processes.remove(new ProcessId(new UUID(0, 3)));
        Map<TaskId, ProcessId> standbys = new HashMap<>();
        for (Instance process : application.processes.values()) {
            process.standby.stream().filter(dead.active::contains).forEach(task -> standbys.put(task, process.id));
        }
        assertThat(standbys.keySet()).isEqualTo(dead.active);
        application.assign();
        standbys.forEach((task, process) ->
                assertThat(application.processes.get(process).active).contains(task));
    }

    @Property(tries = 500)
    @Label("B208 Whoever comes and goes: each task is active once, where its state is if that is anywhere, and all"
            + " come to rest")
    void histories(@ForAll long seed) {
        Random random = new Random(seed);
        Application application = new Application(random.nextInt(3));
        for (int subtopology = 0; subtopology < 1 + random.nextInt(3); subtopology++) {
            boolean isStateful = random.nextBoolean();
            int partitions = 1 + random.nextInt(12);
            for (int partition = 0; partition < partitions; partition++) {
                application.task(subtopology, partition, isStateful, 1 / (0.05 + random.nextDouble()));
            }
        }
        List<ProcessId> living = new ArrayList<>();
        for (int change = 0; change < 8; change++) {
            if (living.size() < 2 || random.nextInt(3) > 0) {
                living.add(application.process(change, 1 + random.nextInt(4)).id);
            } else {
                application.processes.remove(living.remove(random.nextInt(living.size())));
            }
            Map<TaskId, Set<ProcessId>> ready = ready(application);
            application.assign();
            assertThat(application.active()).doesNotHaveDuplicates().hasSameSizeAs(application.tasks.keySet());
            for (Instance process : application.processes.values()) {
                process.active.stream()
                        .filter(task -> application.tasks.get(task).isStateful())
                        .filter(task -> !ready.get(task).isEmpty())
                        .forEach(task -> assertThat(ready.get(task)).contains(process.id));
            }
        }
        int rounds = 0;
        while (application.assign().stream()
                .anyMatch(each -> each.followupRebalanceDeadline().isPresent())) {
            application.restore();
            assertThat(rounds++)
                    .as("rebalances until all are where they shall be")
                    .isLessThan(application.tasks.size() + 2);
        }
    }

    /** Who has the state of which task. */
    private static Map<TaskId, Set<ProcessId>> ready(Application application) {
        Map<TaskId, Set<ProcessId>> ready = new HashMap<>();
        application
                .tasks
                .keySet()
                .forEach(task -> ready.put(
                        task,
                        application.processes.values().stream()
                                .filter(process -> process.lagFor(task) <= ACCEPTABLE)
                                .map(process -> process.id)
                                .collect(Collectors.toCollection(HashSet::new))));
        return ready;
    }
}
