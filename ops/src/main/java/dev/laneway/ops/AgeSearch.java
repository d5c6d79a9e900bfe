package dev.laneway.ops;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Narrows the bounds of ages by asking which offset a timestamp has: if it is above the committed one, the first record
 * that waits is older. Rests on timestamps that ascend with offsets. Used by one thread.
 */
final class AgeSearch {
    private static final int MOST_QUESTIONS = 3; // Per round; the next round goes on from there.
    private static final double FIRST_SECONDS = 1;
    private static final double STEP = 60;
    private static final double FINE_SECONDS = 0.5;
    private static final double FINE_SHARE = 0.1;

    private AgeSearch() {}

    /** Narrows the ages of these partitions, in place, while time is left. */
    static void narrow(
            Admin admin,
            IsolationLevel isolation,
            Map<TopicPartition, Long> committed,
            Map<TopicPartition, LagAge> ages,
            long nowMillis,
            Answers answers) {
        for (int i = 0; i < MOST_QUESTIONS && answers.leftMillis() > 0; i++) {
            Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
            Map<TopicPartition, Double> guesses = new HashMap<>();
            ages.forEach((partition, age) -> {
                if (!isFine(age)) {
                    double guess = guess(age);
                    guesses.put(partition, guess);
                    specs.put(partition, OffsetSpec.forTimestamp(Math.max(0, nowMillis - Math.round(guess * 1e3))));
                }
            });
            if (specs.isEmpty()) {
                return;
            }
            OffsetBounds.at(admin, specs, isolation, answers).forEach((partition, found) -> {
                LagAge bounds = bounds(
                        found,
                        Objects.requireNonNull(committed.get(partition)),
                        Objects.requireNonNull(guesses.get(partition)),
                        nowMillis);
                ages.computeIfPresent(partition, (_, age) -> age.and(bounds));
            });
        }
    }

    static boolean isFine(LagAge age) {
        return age.high() - age.low() <= Math.max(FINE_SECONDS, FINE_SHARE * age.high()) && age.isBounded();
    }

    /** The seconds to ask for next, within the bounds. */
    static double guess(LagAge age) {
        if (!age.isBounded()) {
            return Math.max(FIRST_SECONDS, age.low() * STEP);
        }
        boolean isWide = age.low() > 0 && age.high() / age.low() > 4;
        return isWide ? Math.sqrt(age.low() * age.high()) : (age.low() + age.high()) / 2;
    }

    /** What an answer says about the age of the record at the committed offset. */
    static LagAge bounds(ListOffsetsResultInfo found, long committed, double guess, long nowMillis) {
        if (found.offset() < 0 || found.offset() > committed) {
            return new LagAge(guess, Double.POSITIVE_INFINITY);
        }
        double age = Math.clamp((nowMillis - found.timestamp()) / 1e3, 0, guess);
        return new LagAge(found.offset() == committed ? age : 0, age);
    }
}
