package dev.laneway.bench.workload;

import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.NotBefore;
import dev.laneway.Ordering;
import dev.laneway.Outcome;
import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Meter;
import dev.laneway.cli.workload.Loader;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * How late are records that wait for their time? Consumes what is sent at a steady rate, and compares the clock with
 * the time of each record when its handler starts. One that is early, or handled twice, is a failure.
 */
final class DelaysWorkload implements Workload {
    private static final int VALUE_BYTES = 100;
    private static final long LOOK_NANOS = 200_000;
    /** A prime, so that the times of neighbours are far apart. */
    private static final long STEP = 7_919;

    /** When the second attempt of a record may start. */
    private final ConcurrentMap<Place, Long> second = new ConcurrentHashMap<>();

    private final Set<Place> done = ConcurrentHashMap.newKeySet();
    private final AtomicInteger handled = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private long[] late = {};

    private record Place(int partition, long offset) {
        static Place of(ConsumerRecord<?, ?> record) {
            return new Place(record.partition(), record.offset());
        }
    }

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        String topic = spec.group() + "-live";
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            admin.create(topic, spec.partitions());
            try {
                return measured(spec.reading(topic, spec.number("load")));
            } finally {
                admin.delete(topic);
            }
        }
    }

    private ArmResult measured(ArmSpec spec) throws Exception {
        long longest = spec.number("delay-ms");
        late = new long[Math.toIntExact(spec.records())];
        LanewayBuilder<byte[], byte[]> consumer = Laneway.consumer(Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        spec.bootstrap(),
                        ConsumerConfig.GROUP_ID_CONFIG,
                        spec.group(),
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest"))
                .subscribe(spec.topic())
                .ordering(Ordering.UNORDERED)
                .closeOnShutdown(false);
        Meter meter = new Meter();
        Laneway running = switch (spec.text("delay")) {
            case "any" ->
                consumer.notBefore(record -> Instant.ofEpochMilli(time(record, longest)))
                        .process(record -> note(record, time(record, longest)));
            case "rising" ->
                consumer.notBefore(NotBefore.afterTimestamp(Duration.ofMillis(longest)))
                        .process(record -> note(record, record.timestamp() + longest));
            case "retry" -> consumer.process((record, attempt) -> attempt(record, attempt.attempt() == 1, longest));
            default -> throw new IllegalArgumentException("no delay is called " + spec.text("delay"));
        };
        try (running) {
            meter.start();
            String fault = consume(spec, running);
            meter.stop();
            ArmResult result = ArmResult.of(meter, handled.get(), "audited: each once, none early");
            Arrays.sort(late);
            return fault != null
                    ? result.withFailure(fault)
                    : result.withLatency(at(0.5), at(0.99))
                            .withFigure("late_p99_ms", at(0.99))
                            .withFigure("late_most_ms", at(1));
        }
    }

    private @Nullable String consume(ArmSpec spec, Laneway running) throws Exception {
        Loader loader = new Loader(
                Map.of("bootstrap.servers", spec.bootstrap()),
                new Loader.Plan(
                        spec.topic(),
                        spec.records(),
                        Math.toIntExact(spec.number("load-keys")),
                        0,
                        VALUE_BYTES,
                        spec.number("send-rate")));
        CompletableFuture<Loader.Result> loading = CompletableFuture.supplyAsync(() -> loader.run(() -> false));
        loading.get();
        long end = System.nanoTime()
                + spec.millis("delay-ms").plus(spec.millis("limit-ms")).toNanos();
        while (handled.get() < spec.records() && System.nanoTime() < end) {
            if (running.failure().isPresent()) {
                return "Laneway has failed: " + running.failure().get();
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        if (handled.get() < spec.records()) {
            return handled + " of " + spec.records() + " records were handled: " + running.health();
        }
        long early = Arrays.stream(late).filter(millis -> millis < 0).count();
        return early > 0 || repeated.get() > 0
                ? early + " records were early, " + repeated + " were handled twice"
                : null;
    }

    /** From nothing to the longest, in no order. */
    private static long drawn(ConsumerRecord<?, ?> record, long longest) {
        return record.offset() * STEP % longest;
    }

    private static long time(ConsumerRecord<?, ?> record, long longest) {
        return record.timestamp() + drawn(record, longest);
    }

    private Outcome attempt(ConsumerRecord<?, ?> record, boolean isFirst, long longest) {
        if (isFirst) {
            long millis = drawn(record, longest);
            second.put(Place.of(record), System.currentTimeMillis() + millis);
            return Outcome.retryAfter(Duration.ofMillis(millis));
        }
        note(record, second.getOrDefault(Place.of(record), Long.MAX_VALUE));
        return Outcome.done();
    }

    private void note(ConsumerRecord<?, ?> record, long time) {
        long millis = System.currentTimeMillis() - time;
        if (done.add(Place.of(record))) {
            late[handled.getAndIncrement()] = millis;
        } else {
            repeated.incrementAndGet();
        }
    }

    private double at(double share) {
        return late[(int) (share * (late.length - 1))];
    }
}
