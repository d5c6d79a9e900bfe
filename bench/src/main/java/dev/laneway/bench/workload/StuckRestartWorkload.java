package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.NotingAssignor;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Task;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.Payload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Lets a consumer handle a topic of which some keys are stuck, kills it with {@code kill -9} when it has done and
 * committed the records of all others, adds some new records, and starts it again with the same keys stuck: how soon is
 * a new record handled in each partition, and what is handled again? Then the keys are released.
 */
final class StuckRestartWorkload implements Workload {
    private static final int VALUE_BYTES = 100;
    private static final int NEW_IN_EACH_PARTITION = 10;
    private static final Duration JOIN_LIMIT = Duration.ofMinutes(1);
    /** From the start on; the broker must first notice that the first consumer has died. */
    private static final Duration NEW_LIMIT = Duration.ofSeconds(30);

    private static final Duration LOOK = Duration.ofMillis(1);

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        String topic = spec.group() + "-log";
        Path file = Files.createTempFile("laneway-handled", ".bin");
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            admin.create(topic, spec.partitions());
            ArmSpec loaded = spec.reading(topic, spec.number("load")).with("handled", file.toString());
            Loader.Plan plan = new Loader.Plan(topic, loaded.records(), keys(loaded), 0, VALUE_BYTES, 0);
            new Loader(Map.of("bootstrap.servers", spec.bootstrap()), plan).run(() -> false);
            try {
                return restarted(loaded, admin);
            } finally {
                admin.delete(topic);
            }
        } finally {
            Files.delete(file);
        }
    }

    private static ArmResult restarted(ArmSpec spec, ArmAdmin admin) throws Exception {
        Victim.untilKilled(
                spec.doing(Workloads.STUCK_KEYS), spec.millis("limit-ms").plus(JOIN_LIMIT));
        HandledRecords handled = new HandledRecords(Path.of(spec.text("handled")), spec.records());
        long before = handled.count();
        if (before == 0) {
            return ArmResult.failed("handled nothing before it was killed");
        }
        int chars = admin.metadataChars(spec.group());
        addNew(spec);
        HangingKeys keys = stuck(spec);
        Second second = new Second(spec, handled, before, keys);
        Peer.Running running = Peers.of(spec.peer()).start(task(spec, new Probe(keys.work(), null, second)));
        boolean allNew = await(running, second::hasAllNew, NEW_LIMIT);
        long undone = second.undone();
        Meter meter = new Meter();
        meter.start();
        keys.releaseAll();
        boolean all = allNew && await(running, second::hasAll, spec.millis("limit-ms"));
        meter.stop();
        String notes = "audited; the rate is that of the stuck keys when they are released"
                + (allNew ? "" : "; STALLED: there are partitions of which no new record was handled")
                + (all ? "" : "; cut off with " + second.undone() + " records undone");
        ArmResult result = ArmResult.of(meter, allNew ? undone - second.undone() : 0, notes)
                .withFailure(second.fault())
                .withFigure("done_before_kill", before)
                .withFigure("undone_before_kill", spec.records() - before)
                .withFigure("metadata_chars", chars)
                .withFigure("repeated", second.repeated.sum())
                .withFigure("share_not_repeated", 1 - (double) second.repeated.sum() / before);
        if (all) {
            running.close();
        }
        if (!allNew) {
            return result;
        }
        double[] seconds = second.firstNewSeconds();
        return result.withFigure("first_new_s", seconds[seconds.length - 1])
                .withFigure("first_new_median_s", seconds[seconds.length / 2]);
    }

    private static int keys(ArmSpec spec) {
        return Math.toIntExact(spec.number("load-keys"));
    }

    private static HangingKeys stuck(ArmSpec spec) {
        return new HangingKeys(Math.toIntExact(spec.number("stuck-keys")), Duration.ZERO, Duration.ZERO);
    }

    private static Task task(ArmSpec spec, Probe probe) {
        return new Task(
                spec.bootstrap(),
                spec.topic(),
                spec.partitions(),
                spec.group(),
                Math.toIntExact(spec.number("concurrency")),
                Commits.BATCH,
                1_000,
                probe,
                Map.of(
                        "session.timeout.ms",
                        6_000,
                        "heartbeat.interval.ms",
                        1_000,
                        "partition.assignment.strategy",
                        NotingAssignor.class.getName()));
    }

    /** Adds records of keys that are not stuck to each partition. */
    private static void addNew(ArmSpec spec) {
        int[] counts = new int[spec.partitions()];
        long index = spec.records();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", spec.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer())) {
            int key = Math.toIntExact(spec.number("stuck-keys"));
            while (index < spec.records() + (long) NEW_IN_EACH_PARTITION * spec.partitions()) {
                byte[] bytes = Payload.keyBytes(key);
                if (counts[BuiltInPartitioner.partitionForKey(bytes, spec.partitions())]++ < NEW_IN_EACH_PARTITION) {
                    byte[] value = new Payload(index++, key, 0).valueBytes(VALUE_BYTES);
                    var _ = producer.send(new ProducerRecord<>(spec.topic(), bytes, value));
                }
                key++;
            }
            producer.flush();
        }
    }

    private static boolean await(Peer.Running running, BooleanSupplier isOver, Duration limit) throws Exception {
        long start = System.nanoTime();
        while (!isOver.getAsBoolean()) {
            running.check();
            if (System.nanoTime() - start > limit.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
        return true;
    }

    /** The first consumer: notes what it has done until it is killed. */
    static final class First implements Workload {
        @Override
        public ArmResult run(ArmSpec spec) throws Exception {
            HandledRecords handled = new HandledRecords(Path.of(spec.text("handled")), spec.records());
            Probe probe = new Probe(stuck(spec).work(), null, new Probe.Listener() {
                @Override
                public void ended(byte[] value) {
                    handled.done(Payload.of(value).index());
                }
            });
            return Victim.live(Peers.of(spec.peer()).start(task(spec, probe)), probe);
        }
    }

    /** Checks and counts what the second consumer handles. */
    private static final class Second implements Probe.Listener {
        private final ArmSpec spec;
        private final HandledRecords before;
        private final HangingKeys keys;
        private final AtomicIntegerArray states;
        private final AtomicIntegerArray sequences;
        private final AtomicLongArray firstNanos;
        private final AtomicReference<@Nullable String> fault = new AtomicReference<>();
        private final LongAdder repeated = new LongAdder();
        private final LongAdder continued = new LongAdder();
        private final LongAdder fresh = new LongAdder();
        private final long undoneBefore;

        Second(ArmSpec spec, HandledRecords before, long doneBefore, HangingKeys keys) {
            this.spec = spec;
            this.before = before;
            this.keys = keys;
            this.undoneBefore = spec.records() - doneBefore;
            this.states = new AtomicIntegerArray(Math.toIntExact(spec.records()));
            this.sequences = new AtomicIntegerArray(Math.toIntExact(spec.number("stuck-keys")));
            this.firstNanos = new AtomicLongArray(spec.partitions());
        }

        @Override
        public void ended(byte[] value) {
            Payload payload = Payload.of(value);
            if (payload.index() >= spec.records()) {
                int partition = BuiltInPartitioner.partitionForKey(Payload.keyBytes(payload.key()), spec.partitions());
                firstNanos.compareAndSet(partition, 0, System.nanoTime());
                fresh.increment();
                return;
            }
            int index = Math.toIntExact(payload.index());
            if (states.getAndIncrement(index) > 0) {
                fault.compareAndSet(null, "record " + index + " was handled twice after the restart");
            }
            // None of a stuck key was done before, so it begins with its first record.
            if (keys.hangs(payload.key()) && sequences.getAndIncrement(payload.key()) != payload.sequence()) {
                fault.compareAndSet(null, "record " + index + " of key " + payload.key() + " was not in its turn");
            }
            (before.isDone(index) ? repeated : continued).increment();
        }

        boolean hasAllNew() {
            return fresh.sum() >= (long) NEW_IN_EACH_PARTITION * spec.partitions();
        }

        boolean hasAll() {
            return hasAllNew() && undone() == 0;
        }

        long undone() {
            return undoneBefore - continued.sum();
        }

        @Nullable
        String fault() {
            return fault.get();
        }

        /** From the assignment until the first new record of each partition was handled, in seconds, ascending. */
        double[] firstNewSeconds() {
            return IntStream.range(0, firstNanos.length())
                    .mapToDouble(partition -> (firstNanos.get(partition) - NotingAssignor.firstNanos()) / 1e9)
                    .sorted()
                    .toArray();
        }
    }
}
