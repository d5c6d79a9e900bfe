package dev.laneway.engine.start;

import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** What is asked of the brokers about partitions that are starting, each kind of question for all of them at once. */
final class StartQueries {
    /** So long a turn may ask on as long as there are answers. */
    private static final long BUDGET_NANOS = 50_000_000;

    private final Host host;
    private final HealthConditions conditions;
    private final Duration retryAuthorization;
    private final List<PartitionQuery<?>> all = new ArrayList<>();

    StartQueries(Host host, HealthConditions conditions, Duration retryAuthorization) {
        this.host = host;
        this.conditions = conditions;
        this.retryAuthorization = retryAuthorization;
    }

    <V> PartitionQuery<V> add(
            String what, String remedy, PartitionQuery.Call<V> call, BiConsumer<PartitionStart, V> taker) {
        var query = new PartitionQuery<>(host, conditions, retryAuthorization, what, remedy, call, taker);
        all.add(query);
        return query;
    }

    /** Asks what is due, and what the answers bring up. */
    void ask(long mostNanos) {
        long since = host.nanoTime();
        boolean answered = true;
        while (answered && host.nanoTime() - since < BUDGET_NANOS) {
            answered = false;
            for (PartitionQuery<?> query : all) {
                answered |= query.isDue() && query.ask(mostNanos);
            }
        }
    }

    void forget(PartitionStart start) {
        all.forEach(query -> query.forget(start));
    }

    /** Nanoseconds until one is due, but not more than this. */
    long untilDue(long nowNanos, long most) {
        long until = most;
        for (PartitionQuery<?> query : all) {
            until = Math.min(until, query.untilDue(nowNanos, until));
        }
        return until;
    }
}
