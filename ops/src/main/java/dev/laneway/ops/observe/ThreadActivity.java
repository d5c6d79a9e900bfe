package dev.laneway.ops.observe;

import java.util.List;
import java.util.regex.Pattern;

/** What a thread does, by its state and stack. */
enum ThreadActivity {
    /** It computes, or reads a file, or is in native code such as RocksDB's: the JVM does not tell these apart. */
    RUNS,
    /** It waits, and the innermost frame that is not the JDK's is Kafka's. */
    WAITS_FOR_KAFKA,
    /** The same, in a producer: for an acknowledgement, or for room. The end of a transaction is not meant. */
    WAITS_FOR_PRODUCER,
    /** It waits, and the innermost frame that is not the JDK's is of the user or of a library. */
    WAITS_ELSEWHERE,
    /** It waits for work: all of its frames are the JDK's. */
    IDLE;

    private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");
    private static final String KAFKA = "org.apache.kafka.";
    private static final String PRODUCER = "org.apache.kafka.clients.producer.";
    private static final String TRANSACTION = PRODUCER + "internals.Transaction";

    /** Libraries that poll on a thread of their own and run users' code on others. */
    private static final List<String> POLL_APART = List.of(
            "dev.laneway.engine.",
            "io.confluent.parallelconsumer.",
            "reactor.kafka.",
            "io.vertx.kafka.",
            "io.smallrye.reactive.messaging.kafka.",
            "akka.kafka.",
            "org.apache.pekko.kafka.",
            "fs2.kafka.",
            "zio.kafka.");

    private static final String SPRING_LISTENER = "org.springframework.kafka.listener.KafkaMessageListenerContainer";
    private static final Pattern STREAM_THREAD = Pattern.compile(".*-StreamThread-\\d+");

    /** Native methods in which a thread that waits for a peer is called runnable. */
    private static final Pattern SOCKET_WAIT = Pattern.compile(
            "sun\\.nio\\.ch\\.(Net|EPoll|KQueue|WEPoll|SocketDispatcher|UnixDomainSockets|DatagramChannelImpl)\\..*"
                    + "|java\\.net\\.(Inet\\w*AddressImpl|SocketInputStream|PlainSocketImpl)\\..*");

    static ThreadActivity of(Thread.State state, StackTraceElement[] stack) {
        boolean waits = switch (state) {
            case WAITING, TIMED_WAITING, BLOCKED -> true;
            case RUNNABLE ->
                stack.length > 0
                        && stack[0].isNativeMethod()
                        && SOCKET_WAIT.matcher(call(stack[0])).matches();
            case NEW, TERMINATED -> false;
        };
        if (!waits) {
            return RUNS;
        }
        for (StackTraceElement frame : stack) {
            if (!startsWithOne(frame, JDK)) {
                return waitsIn(frame.getClassName());
            }
        }
        return IDLE;
    }

    private static ThreadActivity waitsIn(String className) {
        if (!className.startsWith(KAFKA)) {
            return WAITS_ELSEWHERE;
        }
        return className.startsWith(PRODUCER) && !className.startsWith(TRANSACTION)
                ? WAITS_FOR_PRODUCER
                : WAITS_FOR_KAFKA;
    }

    /**
     * Whether this thread is known to run users' code: a stream thread, one of Spring's listeners, one in a poll that a
     * user's code called, or one in a user's method that calls poll.
     */
    static boolean runsUsersCode(String threadName, StackTraceElement[] stack, PollCallers callers) {
        if (STREAM_THREAD.matcher(threadName).matches()) {
            return true;
        }
        boolean polls = false;
        for (StackTraceElement frame : stack) {
            if (frame.getClassName().startsWith(SPRING_LISTENER)) {
                return true;
            }
            boolean users = !startsWithOne(frame, JDK) && !frame.getClassName().startsWith(KAFKA);
            if (users && (polls || callers.calls(frame))) {
                return !startsWithOne(frame, POLL_APART);
            }
            polls |= frame.getMethodName().equals("poll") && isConsumer(frame.getClassName());
        }
        return false;
    }

    private static boolean isConsumer(String className) {
        return className.equals("org.apache.kafka.clients.consumer.KafkaConsumer")
                || className.equals("org.apache.kafka.clients.consumer.KafkaShareConsumer");
    }

    private static boolean startsWithOne(StackTraceElement frame, List<String> prefixes) {
        return prefixes.stream().anyMatch(frame.getClassName()::startsWith);
    }

    private static String call(StackTraceElement frame) {
        return frame.getClassName() + "." + frame.getMethodName();
    }
}
