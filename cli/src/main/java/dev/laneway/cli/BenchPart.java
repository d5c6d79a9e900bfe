package dev.laneway.cli;

import java.util.List;

/** What can be measured by itself. The names are those of docs/benchmarks.md. Immutable. */
enum BenchPart {
    /** A no-op handler against the bare poll loop. */
    P1,
    /** A no-op handler and one hot key. */
    P2,
    /** Waiting handlers, and what Little's law allows. */
    P3,
    /** Many waiting handlers. */
    P4,
    /** The engine's own cost. */
    P6;

    /** The topics that it needs; one that needs none needs no broker. */
    List<BenchTopic> topics() {
        return switch (this) {
            case P1 -> List.of(BenchTopic.T512, BenchTopic.T100);
            case P2 -> List.of(BenchTopic.HOT);
            case P3 -> List.of(BenchTopic.K100, BenchTopic.T1K);
            case P4 -> List.of(BenchTopic.T10K);
            case P6 -> List.of();
        };
    }
}
