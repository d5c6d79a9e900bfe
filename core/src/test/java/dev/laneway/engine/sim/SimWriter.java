package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.SimProducer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Another application: fills the topics, some records before the members start and the others while they work. */
final class SimWriter {
    private final SimWorld world;
    private final SimPlan plan;
    private final SplittableRandom random;
    /** Then many small transactions that are aborted: where a log was cut, perhaps nothing else tells it. */
    private final boolean isCut;

    private @Nullable SimProducer transactional;
    private boolean isInTransaction;
    private boolean ended;

    SimWriter(SimWorld world) {
        this.world = world;
        this.plan = world.plan;
        this.random = world.random.split();
        this.isCut = plan.theme == SimTheme.CUT;
    }

    void load() {
        if (plan.theme == SimTheme.LOG) {
            for (TopicPartition id : world.partitions) {
                if (random.nextInt(3) == 0) {
                    world.sim.broker().skipTo(id, random.nextInt(1, 100_000));
                }
            }
        }
        int before = random.nextInt(plan.records + 1);
        for (int i = 0; i < before; i++) {
            append();
        }
        world.sim.scheduler().execute(() -> goOn(plan.records - before));
    }

    private void goOn(int left) {
        try {
            for (int i = 0; i < left; i++) {
                if (plan.hasTransactions() && random.nextInt(isCut ? 2 : 5) == 0) {
                    i += transaction();
                } else {
                    append();
                }
                if (random.nextInt(4) == 0) {
                    world.sim.sleep(
                            Duration.ofNanos(random.nextLong(2 * world.plan.chaos.toNanos() * 4 / plan.records)));
                }
            }
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
        ended = true;
    }

    /** Several records in a transaction, which may be aborted; returns how many. */
    private int transaction() throws InterruptedException {
        if (transactional == null) {
            transactional = world.sim.broker().producer(plan.producer("writer"));
            transactional.initTransactions();
        }
        SimProducer producer = transactional;
        producer.beginTransaction();
        isInTransaction = true;
        int count = random.nextInt(1, isCut ? 4 : 12);
        for (int i = 0; i < count; i++) {
            TopicPartition id = world.partitions.get(random.nextInt(world.partitions.size()));
            byte[] value = new byte[random.nextInt(plan.mostValueBytes + 1)];
            var _ = producer.send(new ProducerRecord<>(id.topic(), id.partition(), key(), value));
            if (random.nextInt(6) == 0) {
                world.sim.sleep(Duration.ofMillis(random.nextInt(1, 100)));
            }
        }
        if (random.nextInt(3) < (isCut ? 2 : 1)) {
            producer.abortTransaction();
        } else {
            producer.commitTransaction();
        }
        isInTransaction = false;
        return count;
    }

    boolean isInTransaction() {
        return isInTransaction;
    }

    boolean isEnded() {
        return ended;
    }

    private void append() {
        append(world.partitions.get(random.nextInt(world.partitions.size())));
    }

    void append(TopicPartition id) {
        byte[] value = new byte[random.nextInt(plan.mostValueBytes + 1)];
        world.sim.broker().append(id.topic(), id.partition(), key(), value);
    }

    private byte @Nullable [] key() {
        int kind = random.nextInt(20);
        if (kind == 0) {
            return null;
        }
        if (kind == 1) {
            return new byte[0];
        }
        double share = random.nextDouble();
        int rank = (int) (plan.keys * (plan.zipf > 0 ? Math.pow(share, 1 + 3 * plan.zipf) : share));
        return ("key" + rank).getBytes(StandardCharsets.UTF_8);
    }
}
