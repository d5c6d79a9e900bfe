package dev.laneway.ops.check;

import java.util.List;

/** The states of a Kafka Streams application, as {@code client-state} numbers them (KIP-1091). Stateless. */
final class StreamsStates {
    static final int RUNNING = 2;

    private static final List<String> NAMES =
            List.of("CREATED", "REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "NOT_RUNNING", "PENDING_ERROR", "ERROR");

    private StreamsStates() {}

    static String name(double number) {
        int at = (int) number;
        return at >= 0 && at < NAMES.size() ? NAMES.get(at) : "in state " + at;
    }
}
