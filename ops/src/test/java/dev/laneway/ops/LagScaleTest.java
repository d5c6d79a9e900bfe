package dev.laneway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsResult;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListGroupsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.MemberAssignment;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.internals.CoordinatorKey;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Against an admin client that answers at once. What is measured is the processor time of the thread that asks, less
 * that of the client's answers: a machine that is busy with other tests makes neither longer.
 */
class LagScaleTest {
    private static final String GROUP = "big";
    private static final int PARTITIONS = 10_000;
    private static final TopicPartition LEADERLESS = new TopicPartition("t", 77);

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final AtomicLong round = new AtomicLong();
    private long answering;
    private final Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>();
    private final Set<TopicPartition> assigned = new HashSet<>();

    @Test
    @DisplayName("B131 B82 A round over 10,000 partitions takes less than 2 s; a leaderless one fails alone")
    void tenThousand() {
        Admin admin = admin();
        AtomicLong millis = new AtomicLong(1_000_000_000_000L);
        LagMonitor monitor = new LagMonitor(admin, LagOptions.DEFAULT, RecordProbe.NONE, millis::get, System::nanoTime);
        long slowest = 0;
        GroupLag lag = null;
        for (int i = 0; i < 20; i++) {
            round.incrementAndGet();
            millis.addAndGet(5_000);
            long start = ownTime();
            lag = monitor.sample(GROUP);
            slowest = Math.max(slowest, ownTime() - start);
        }
        assertThat(Duration.ofNanos(slowest)).isLessThan(Duration.ofSeconds(2));
        assertThat(lag.partitions()).hasSize(PARTITIONS);
        assertThat(lag.partitions().getFirst().partition()).isEqualTo(LEADERLESS);
        assertThat(lag.partitions().getFirst().lag()).isNull();
        assertThat(lag.partitions().getFirst().evidence()).contains("no leader");
        assertThat(lag.isComplete()).isFalse();
        assertThat(lag.partitions().get(1).status()).isEqualTo(LagStatus.GROWING);
        assertThat(lag.partitions().get(1).slope()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "B133 What was committed of 10,000 partitions is decoded in less than 2 s; a leaderless one fails alone")
    void tenThousandMaps() {
        Admin admin = admin();
        round.set(1);
        long start = ownTime();
        GroupCommits group = new CommitReader(admin, Duration.ofSeconds(20)).read(GROUP, Set.of());
        assertThat(Duration.ofNanos(ownTime() - start)).isLessThan(Duration.ofSeconds(2));
        assertThat(group.totals())
                .isEqualTo(new CommitTotals(
                        PARTITIONS, 0, 10 * (PARTITIONS - 1), 8 * PARTITIONS, 2 * (PARTITIONS - 1), 1));
        assertThat(group.isComplete()).isFalse();
    }

    private Admin admin() {
        for (int i = 0; i < PARTITIONS; i++) {
            assigned.add(new TopicPartition("t", i));
        }
        return (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (_, method, args) -> {
                    long start = threads.getCurrentThreadCpuTime();
                    Object answer = answer(method.getName(), args);
                    answering += threads.getCurrentThreadCpuTime() - start;
                    return answer;
                });
    }

    private Object answer(String method, Object[] args) throws ReflectiveOperationException {
        return switch (method) {
            case "listGroups" -> groups();
            case "describeConsumerGroups" -> description();
            case "listConsumerGroupOffsets" -> commits();
            case "listOffsets" -> offsets((Map<?, ?>) args[0]);
            default -> throw new UnsupportedOperationException(method);
        };
    }

    /** What this thread has computed, in nanoseconds, other than answers. */
    private long ownTime() {
        return threads.getCurrentThreadCpuTime() - answering;
    }

    private Object groups() throws ReflectiveOperationException {
        return made(
                ListGroupsResult.class,
                KafkaFuture.completedFuture(List.of(new GroupListing(
                        GROUP, Optional.of(GroupType.CONSUMER), "consumer", Optional.of(GroupState.STABLE)))));
    }

    private Object description() {
        MemberDescription member = new MemberDescription(
                "m",
                Optional.empty(),
                Optional.empty(),
                "c",
                "h",
                new MemberAssignment(assigned),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        return new DescribeConsumerGroupsResult(Map.of(
                GROUP,
                KafkaFuture.completedFuture(new ConsumerGroupDescription(
                        GROUP,
                        false,
                        List.of(member),
                        "uniform",
                        GroupType.CONSUMER,
                        GroupState.STABLE,
                        Node.noNode(),
                        Set.of(),
                        Optional.empty(),
                        Optional.empty()))));
    }

    private Object commits() throws ReflectiveOperationException {
        long offset = 10 * round.get();
        assigned.forEach(id -> commits.put(
                id, new OffsetAndMetadata(offset, CommitRulesTest.map(id, offset + 10, offset, offset + 3))));
        return made(
                ListConsumerGroupOffsetsResult.class,
                Map.of(CoordinatorKey.byGroupId(GROUP), KafkaFuture.completedFuture(Map.copyOf(commits))));
    }

    /** Ends grow twice as fast as commits; timestamps are not found. */
    private Object offsets(Map<?, ?> specs) {
        Map<TopicPartition, KafkaFuture<ListOffsetsResultInfo>> found = new HashMap<>();
        specs.forEach((key, spec) -> {
            KafkaFutureImpl<ListOffsetsResultInfo> future = new KafkaFutureImpl<>();
            if (key.equals(LEADERLESS)) {
                future.completeExceptionally(new LeaderNotAvailableException("no leader"));
            } else {
                long offset = spec instanceof OffsetSpec.LatestSpec ? 20 * round.get() : 0;
                future.complete(new ListOffsetsResultInfo(
                        spec instanceof OffsetSpec.TimestampSpec ? -1 : offset, -1, Optional.empty()));
            }
            found.put((TopicPartition) key, future);
        });
        return new ListOffsetsResult(found);
    }

    /** The constructors of these results are Kafka's own. */
    private static Object made(Class<?> type, Object argument) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(argument);
    }
}
