package dev.laneway.assign;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;

/**
 * What can be set, beside the client's properties. docs/assignors.md has the same table.
 *
 * @param window over which the rate of a partition is taken
 * @param catchUp in which the lag of a partition shall be made good
 * @param limit how long brokers are asked
 * @param tolerance how far members may be from the mean load, as a part of it, before something moves
 * @param mostMoves in one rebalance
 */
record AssignorSettings(Duration window, Duration catchUp, Duration limit, double tolerance, int mostMoves) {
    static final String WINDOW = "laneway.assignor.window.ms";
    static final String CATCH_UP = "laneway.assignor.catch.up.ms";
    static final String LIMIT = "laneway.assignor.limit.ms";
    static final String TOLERANCE = "laneway.assignor.tolerance";
    static final String MOST_MOVES = "laneway.assignor.most.moves";

    private static final ConfigDef DEFINITION = new ConfigDef()
            .define(
                    WINDOW,
                    ConfigDef.Type.LONG,
                    300_000,
                    Range.atLeast(1_000),
                    Importance.MEDIUM,
                    "The time of the rates.")
            .define(
                    CATCH_UP,
                    ConfigDef.Type.LONG,
                    600_000,
                    Range.atLeast(1_000),
                    Importance.MEDIUM,
                    "The time for the lag.")
            .define(
                    LIMIT,
                    ConfigDef.Type.LONG,
                    3_000,
                    Range.between(100, 60_000),
                    Importance.LOW,
                    "The time for brokers.")
            .define(
                    TOLERANCE,
                    ConfigDef.Type.DOUBLE,
                    0.1,
                    Range.between(0.01, 1),
                    Importance.LOW,
                    "How far from the mean.")
            .define(MOST_MOVES, ConfigDef.Type.INT, 1_000, Range.atLeast(0), Importance.LOW, "The most moves at once.");

    /** @throws org.apache.kafka.common.config.ConfigException if a value is out of its range */
    static AssignorSettings of(Map<String, ?> properties) {
        AbstractConfig config = new AbstractConfig(DEFINITION, properties, false);
        return new AssignorSettings(
                Duration.ofMillis(config.getLong(WINDOW)),
                Duration.ofMillis(config.getLong(CATCH_UP)),
                Duration.ofMillis(config.getLong(LIMIT)),
                config.getDouble(TOLERANCE),
                config.getInt(MOST_MOVES));
    }

    /**
     * What a partition asks of its member, in records a second.
     *
     * @param appended within the window
     * @param lag records that are left to read, as if they were read in {@link #catchUp}
     */
    double load(long appended, long lag) {
        return Math.max(0, appended) / seconds(window) + Math.max(0, lag) / seconds(catchUp);
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }
}
