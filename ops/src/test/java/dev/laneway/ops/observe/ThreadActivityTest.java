package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** On real threads of this JVM. */
class ThreadActivityTest {
    private static final PollCallers NONE = new PollCallers(List.of());

    private final String prefix = UUID.randomUUID() + "-StreamThread-";
    private final AtomicBoolean ended = new AtomicBoolean();

    private ThreadActivity now(Thread thread) {
        return ThreadActivity.of(thread.getState(), thread.getStackTrace());
    }

    private Thread start(Runnable work) {
        return Thread.ofPlatform().daemon().name(prefix + 1).start(work);
    }

    private void becomes(Thread thread, ThreadActivity activity) {
        await().atMost(Duration.ofSeconds(20)).until(() -> now(thread) == activity);
    }

    @Test
    @DisplayName("B83 A thread that computes runs")
    void computes() {
        Thread thread = start(() -> {
            while (!ended.get()) {
                Thread.onSpinWait();
            }
        });
        try {
            becomes(thread, ThreadActivity.RUNS);
        } finally {
            ended.set(true);
        }
    }

    @Test
    @DisplayName(
            "B83 A thread in a latch of a user's waits elsewhere, and so does one that another service keeps waiting")
    void waitsElsewhere() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        Thread parked = start(() -> {
            try {
                latch.await();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        });
        becomes(parked, ThreadActivity.WAITS_ELSEWHERE);
        latch.countDown();
        try (ServerSocket service = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket call = new Socket(service.getInetAddress(), service.getLocalPort())) {
            Thread reading = start(() -> {
                try {
                    call.getInputStream().read();
                } catch (java.io.IOException closed) {
                    // The end of the test.
                }
            });
            becomes(reading, ThreadActivity.WAITS_ELSEWHERE);
        }
    }

    @Test
    @DisplayName("B83 A thread in poll waits for Kafka and runs users' code; a pool's thread without work is idle")
    void waitsForKafka() throws Exception {
        String topic = "activity-" + UUID.randomUUID();
        EmbeddedKafka.shared().createTopic(topic, 1);
        try (Consumer<byte[], byte[]> consumer = EmbeddedKafka.shared().consumer(Map.of("group.id", topic));
                ExecutorService pool = Executors.newSingleThreadExecutor()) {
            Thread polls = Thread.ofPlatform().name("poller").start(() -> {
                consumer.subscribe(List.of(topic));
                try {
                    while (true) {
                        consumer.poll(Duration.ofMinutes(1));
                    }
                } catch (WakeupException end) {
                    // The end of the test.
                }
            });
            becomes(polls, ThreadActivity.WAITS_FOR_KAFKA);
            StackTraceElement[] stack = polls.getStackTrace();
            assertThat(ThreadActivity.runsUsersCode("poller", stack, NONE)).isTrue();
            for (int i = 0; i < stack.length; i++) {
                if (stack[i].getClassName().startsWith("dev.laneway")) {
                    stack[i] = new StackTraceElement("dev.laneway.engine.RecordIntake", "poll", "RecordIntake.java", 1);
                }
            }
            assertThat(ThreadActivity.runsUsersCode("poller", stack, NONE))
                    .as("Laneway's handlers run elsewhere")
                    .isFalse();
            consumer.wakeup();
            polls.join();

            Thread idle = pool.submit(Thread::currentThread).get();
            becomes(idle, ThreadActivity.IDLE);
            assertThat(ThreadActivity.runsUsersCode(idle.getName(), idle.getStackTrace(), NONE))
                    .isFalse();
        }
    }

    @Test
    @DisplayName("B83 Stream threads and Spring's listeners run users' code; Kafka's own threads do not")
    void runsUsersCode() {
        StackTraceElement[] none = {};
        assertThat(ThreadActivity.runsUsersCode("orders-1-StreamThread-12", none, NONE))
                .isTrue();
        assertThat(ThreadActivity.runsUsersCode("orders-1-GlobalStreamThread", none, NONE))
                .isFalse();
        assertThat(ThreadActivity.runsUsersCode("orders-1-StateUpdater-1", none, NONE))
                .isFalse();
        StackTraceElement[] spring = {
            new StackTraceElement("java.lang.Thread", "sleep", "Thread.java", 1),
            new StackTraceElement("com.shop.Orders", "handle", "Orders.java", 1),
            new StackTraceElement(
                    "org.springframework.kafka.listener.KafkaMessageListenerContainer$ListenerConsumer", "run", "K", 1)
        };
        assertThat(ThreadActivity.runsUsersCode("x-0-C-1", spring, NONE)).isTrue();
        StackTraceElement[] restores = {
            new StackTraceElement("org.apache.kafka.clients.consumer.KafkaConsumer", "poll", "K", 1),
            new StackTraceElement(
                    "org.apache.kafka.streams.processor.internals.StoreChangelogReader", "restore", "S", 1)
        };
        assertThat(ThreadActivity.runsUsersCode("updater", restores, NONE)).isFalse();
    }

    @Test
    @DisplayName("B83 A method that calls poll is known by its class file, in a directory or a jar, and no other is")
    void methodsThatPoll() {
        PollCallers callers = PollCallers.of(System.getProperty("java.class.path"), System.getProperty("user.dir"));
        assertThat(callers.calls(frame(ConsumerProcess.class.getName(), "consume")))
                .isTrue();
        assertThat(callers.calls(frame(ConsumerProcess.class.getName(), "main")))
                .isFalse();
        assertThat(callers.calls(frame("com.shop.Missing", "consume"))).isFalse();
        String streams = "org.apache.kafka.streams.processor.internals.StoreChangelogReader";
        assertThat(callers.calls(frame(streams, "pollRecordsFromRestoreConsumer")))
                .isTrue();
        StackTraceElement[] busy = {
            frame("java.lang.Thread", "sleep"), frame(ConsumerProcess.class.getName(), "consume")
        };
        assertThat(ThreadActivity.runsUsersCode("main", busy, callers)).isTrue();
        assertThat(ThreadActivity.runsUsersCode("main", busy, NONE)).isFalse();
    }

    private static StackTraceElement frame(String className, String method) {
        return new StackTraceElement(className, method, "X.java", 1);
    }

    @Test
    @DisplayName("B83 Samples of stacks are counted by thread, and those of ended threads go")
    void counts() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        Thread waits = start(() -> {
            try {
                latch.await();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        });
        becomes(waits, ThreadActivity.WAITS_ELSEWHERE);
        Map<String, String> tags = Map.of("thread-group", prefix + 1);
        Metric waiting = Metric.of(Groups.THREADS, "waiting-samples-total", tags);
        try (JmxSource self = JmxSource.ofPid(ProcessHandle.current().pid())) {
            Duration limit = Duration.ofSeconds(20);
            double once = self.read(limit).numbers().getOrDefault(waiting, 0.0);
            Sample twice = self.read(limit);
            assertThat(twice.numbers().get(waiting) - once).isEqualTo(StackSampler.SAMPLES);
            assertThat(twice.numbers()).containsEntry(Metric.of(Groups.THREADS, "kafka-samples-total", tags), 0.0);
            assertThat(twice.numbers().get(Metric.of(Groups.THREADS, "samples-total", tags)))
                    .isEqualTo(twice.numbers().get(waiting));
            latch.countDown();
            waits.join();
            assertThat(self.read(limit).numbers()).doesNotContainKey(waiting);
        }
    }
}
