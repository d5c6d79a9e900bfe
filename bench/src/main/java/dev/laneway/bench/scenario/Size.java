package dev.laneway.bench.scenario;

import java.time.Duration;

/**
 * The size of a measurement. Immutable.
 *
 * @param scale the share of the usual records and times
 * @param quick whether times are short, for a first look
 */
public record Size(double scale, boolean quick) {
    private static final double QUICK_SHARE_OF_RECORDS = 0.5;
    private static final double QUICK_SHARE_OF_TIME = 0.2;
    private static final long LEAST_RECORDS = 100;
    private static final long LEAST_MILLIS = 200;

    long records(long usual) {
        return Math.max(Math.min(usual, LEAST_RECORDS), Math.round(usual * share(QUICK_SHARE_OF_RECORDS)));
    }

    Duration time(Duration usual) {
        return Duration.ofMillis(Math.max(LEAST_MILLIS, Math.round(usual.toMillis() * share(QUICK_SHARE_OF_TIME))));
    }

    private double share(double quickShare) {
        return quick ? scale * quickShare : scale;
    }
}
