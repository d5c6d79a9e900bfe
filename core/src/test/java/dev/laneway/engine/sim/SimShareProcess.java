package dev.laneway.engine.sim;

import dev.laneway.DeadLetterHeaders;
import dev.laneway.Health;
import dev.laneway.Options;
import dev.laneway.Snapshot;
import dev.laneway.Workers;
import dev.laneway.engine.MemberShare;
import dev.laneway.engine.config.DeliveryLimit;
import dev.laneway.engine.config.KafkaConfig;
import dev.laneway.engine.config.RecordBudget;
import dev.laneway.engine.config.ShareConfig;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.share.ShareEngine;
import dev.laneway.engine.share.ShareWiring;
import dev.laneway.engine.track.Event;
import dev.laneway.testkit.sim.SimProducer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** One process with one member of a share group in it, whose owner's turns are a task of the simulation. */
final class SimShareProcess {
    private static final Duration MAX_POLL_INTERVAL = Duration.ofSeconds(30);
    /** The turn in which something was asked for may be half over, the next one begins with it. */
    private static final int TURNS_TO_HEAR = 2;

    final String name;
    final ShareWiring parts;
    final SimShareLink link;
    private final SimShareWorld world;
    private final SimHost host;
    private final SimShareConsumer consumer;
    private final ShareEngine engine;
    final SimOwner owner;
    private final List<SimProducer> producers = new ArrayList<>();
    /** The latest delivery of each record to this member. */
    private final Map<String, SimShareDelivery> deliveries = new HashMap<>();
    /** Those that were lost, and whose handlers may run on. */
    private final List<SimShareDelivery> former = new ArrayList<>();
    /** When a renewal of a partition's record was last told to have failed. */
    private final Map<TopicPartition, Long> lossNanos = new HashMap<>();

    private final List<CompletableFuture<Boolean>> questions = new ArrayList<>();
    /** Since which turn it is paused; null when it is not. */
    private @Nullable Long paused;

    private boolean closing;
    /** Whether it ends, or ended, while it was paused: then only that starts which is not delivered again. */
    private boolean onlyLast;

    private long closeUntilNanos = Long.MAX_VALUE;
    private long confirmed;
    private long refused;
    private long archived;
    /** When the engine last told that the broker gives records up. */
    private long archivedNanos;

    SimShareProcess(SimShareWorld world, String name) {
        this.world = world;
        this.name = name;
        this.host = new SimHost(
                world.sim,
                world.random.split(),
                () -> world.check.breach("B47 a thread of " + this + " that runs no handler was interrupted"));
        this.link = new SimShareLink(world, name);
        this.consumer = new SimShareConsumer(world, this, link);
        this.parts = ShareWiring.of(
                host,
                world.options(),
                new ShareWiring.Plan(
                        new MemberShare(name, Workers.virtual(), world.plan.concurrency),
                        new TopicSelection.Topics(world.plan.topics),
                        config(world),
                        DeliveryLimit.assumed()),
                new SimShareHandlers(world, this, host).handling(),
                consumer,
                this::producer);
        this.engine = new ShareEngine(parts);
        this.owner = new SimOwner(engine, host);
    }

    private static ShareConfig config(SimShareWorld world) {
        Map<String, Object> properties = Map.of(
                ConsumerConfig.GROUP_ID_CONFIG, SimPlan.GROUP,
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, world.plan.maxPollRecords,
                ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, (int) MAX_POLL_INTERVAL.toMillis());
        Options options = world.options();
        RecordBudget records = RecordBudget.fixed(options.bufferRecords());
        return new ShareConfig(
                new KafkaConfig(properties, Map.of(), records, options.bufferBytes(), false, false), options, 1, true);
    }

    void start() {
        world.sim.trace().event("start", name);
        world.sim.scheduler().execute(() -> owner.own(this::hasTurned, () -> {}, this::ended));
    }

    private boolean hasTurned() {
        noteArchived();
        world.check.turned(this);
        return !world.check.isBroken();
    }

    private void ended(@Nullable Throwable failure) {
        world.sim.trace().event("ended", name, failure == null ? "" : failure.getClass());
        long now = world.check.now();
        boolean explained =
                Stream.concat(deliveries.values().stream(), former.stream()).anyMatch(one -> one.stops(now));
        if (failure != null && !explained) {
            world.check.breach(new AssertionError(this + " failed without reason: " + failure, failure));
        }
        long told = parts.core().counts().commits.sum();
        long toldRefused = parts.core().counts().failedCommits.sum();
        if (told != confirmed || toldRefused != refused) {
            world.check.breach("B91 " + this + " counts " + told + " acknowledgements, of " + confirmed + ", and "
                    + toldRefused + " refusals, of " + refused);
        }
    }

    // ---------------------------------------------------------------- what its user asks

    void kill() {
        world.sim.trace().event("kill", name);
        host.die();
        consumer.kill();
        producers.forEach(SimProducer::kill);
        if (world.random.nextBoolean()) {
            world.group.end(name); // Its connection is seen to be gone.
        } else {
            world.group.leave(name); // Its locks run out.
        }
    }

    void close(Duration limit) {
        world.sim.trace().event("close", name, limit);
        endsBy(limit);
        onlyLast |= paused != null;
        parts.core().inbox().close(limit);
    }

    void drain(Duration limit) {
        world.sim.trace().event("drain", name, limit);
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        if (!isEnded()) {
            questions.add(answer);
            endsBy(limit);
            parts.core().inbox().add(new Event.Drain(limit, answer));
        }
    }

    private void endsBy(Duration limit) {
        closing = true;
        closeUntilNanos = Math.min(closeUntilNanos, world.check.now() + limit.toNanos());
    }

    void pause() {
        world.sim.trace().event("pause", name);
        if (paused == null) {
            paused = owner.turns();
        }
        onlyLast |= closing;
        parts.core().inbox().add(new Event.PauseAll());
    }

    void resume() {
        world.sim.trace().event("resume", name);
        paused = null;
        parts.core().inbox().add(new Event.ResumeAll());
    }

    /** What it tells of itself may not contradict itself. */
    void tell() {
        Snapshot snapshot = engine.turns().snapshot();
        if (snapshot.held() < 0) {
            world.check.breach("B116 " + this + " holds " + snapshot.held());
        }
    }

    Health health() {
        return owner.health(world.options());
    }

    boolean isEnded() {
        return isDead() || parts.core().lifecycle().ended().isDone();
    }

    boolean isDead() {
        return host.isDead();
    }

    /** Null when each question has been answered. */
    @Nullable
    String whyUnanswered() {
        return isDead() || questions.stream().allMatch(CompletableFuture::isDone) ? null : "B54 a drain has no answer";
    }

    // ---------------------------------------------------------------- what its client sees

    void polled(ConsumerRecord<byte[], byte[]> record) {
        TopicPartition id = new TopicPartition(record.topic(), record.partition());
        int number = record.deliveryCount().orElseThrow();
        SimShareDelivery before = find(id, record.offset());
        if (before != null && before.number == number && before.said == null && before.lostNanos < 0) {
            before.isUnsure |= world.mayBeTakenForLost(before);
            before.renewingNanos = -1;
            return;
        }
        if (before != null) {
            former.add(before);
        }
        SimShareDelivery delivery =
                new SimShareDelivery(this, id, record.offset(), number, world.plan, world.check.now());
        deliveries.put(SimShareCheck.name(id, record.offset()), delivery);
        world.check.polled(delivery);
    }

    void acknowledges(TopicPartition id, long offset, AcknowledgeType type) {
        SimShareDelivery delivery = find(id, offset);
        if (!isDead() && delivery != null) {
            world.check.acknowledges(this, delivery, type);
        }
    }

    /** The client tells the engine what came of acknowledgements. */
    void tells(TopicPartition id, Set<Long> offsets, @Nullable RuntimeException failure) {
        world.sim.trace().event("tells", name, id, offsets, failure == null ? "" : failure.getClass());
        if (failure == null) {
            confirmed++;
            return;
        }
        refused++;
        for (long offset : offsets) {
            SimShareDelivery delivery = find(id, offset);
            if (delivery != null && delivery.renewingNanos >= 0) {
                delivery.renewingNanos = -1;
                delivery.lostNanos = world.check.now();
                lossNanos.put(id, world.check.now());
            } else if (delivery != null) {
                delivery.isRefused = true;
            }
        }
    }

    private @Nullable SimShareDelivery find(TopicPartition id, long offset) {
        return deliveries.get(SimShareCheck.name(id, offset));
    }

    boolean isTroubledSince(long nanos) {
        return link.isTroubledSince(nanos);
    }

    // ---------------------------------------------------------------- for the checks

    /** A handler is called. */
    SimShareDelivery begins(ConsumerRecord<byte[], byte[]> record) {
        TopicPartition id = new TopicPartition(record.topic(), record.partition());
        SimShareDelivery delivery = find(id, record.offset());
        if (delivery == null) {
            throw new IllegalStateException("B91 " + this + " handles what it was not given: " + id);
        }
        world.check.begins(this, delivery);
        return delivery;
    }

    /** Null when the record may be begun, as far as the process goes. */
    @Nullable
    String whyNotBegin(SimShareDelivery delivery) {
        if (delivery.isLast() && isEnding()) {
            return null;
        }
        Long pausedAt = paused;
        return pausedAt != null && owner.turns() >= pausedAt + TURNS_TO_HEAR
                ? "B59 while it is paused"
                : parts.core().lifecycle().failure() != null ? "B91 although the member stops" : null;
    }

    private boolean isEnding() {
        return closing || parts.core().lifecycle().failure() != null;
    }

    /** Whether the record's next attempt may come at once. */
    boolean isHastened(SimShareDelivery delivery) {
        return delivery.isLast() && isEnding();
    }

    /** Null when the record may be given back. */
    @Nullable
    String whyNotRelease(SimShareDelivery delivery) {
        long now = world.check.now();
        boolean isLost = lossNanos.getOrDefault(delivery.id, -1L) >= delivery.polledNanos
                || deliveries.values().stream().anyMatch(one -> one.id.equals(delivery.id) && one.renewingNanos >= 0);
        boolean isStopped = parts.core().lifecycle().failure() != null || onlyLast;
        boolean isTooLate = now >= closeUntilNanos - 1_000_000 || delivery.isRetriedAfter(closeUntilNanos, now);
        if (isLost || (isStopped && !delivery.isLast()) || isTooLate) {
            return null;
        }
        boolean mayEndLate = parts.core().lifecycle().failure() != null; // After its close limit.
        return mayEndLate || delivery.stops(now) ? null : "B100 although it could be done";
    }

    long held() {
        return parts.core().assignment().all().stream()
                .mapToLong(partition -> partition.track.ledger.records())
                .sum();
    }

    boolean isIdle() {
        return parts.core().scheduler().running() == 0 && held() == 0;
    }

    private void noteArchived() {
        long told = parts.core().counts().archived.sum();
        if (told > archived) {
            archived = told;
            archivedNanos = world.check.now();
        }
    }

    /** How many records it says the broker gives up. */
    long archived() {
        return parts.core().counts().archived.sum();
    }

    /** When it last said so, in a turn. */
    long archivedNanos() {
        return archivedNanos;
    }

    // ---------------------------------------------------------------- dead letters

    @SuppressWarnings("unchecked")
    private Producer<byte[], byte[]> producer() {
        if (isDead()) {
            throw new IllegalStateException("the process is dead");
        }
        SimProducer made = world.sim.broker().producer(world.plan.producer(null));
        producers.add(made);
        return (Producer<byte[], byte[]>) Proxy.newProxyInstance(
                SimShareProcess.class.getClassLoader(), new Class<?>[] {Producer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("send") && arguments.length == 2) {
                        ProducerRecord<byte[], byte[]> letter = (ProducerRecord<byte[], byte[]>) arguments[0];
                        Callback told = (Callback) arguments[1];
                        arguments[1] = (Callback) (metadata, failure) -> {
                            if (failure == null && !isDead()) {
                                lettered(letter);
                            }
                            told.onCompletion(metadata, failure);
                        };
                    }
                    return call(made, method, arguments);
                });
    }

    private void lettered(ProducerRecord<byte[], byte[]> letter) {
        TopicPartition id = new TopicPartition(
                SimHandlers.text(letter.headers().lastHeader(DeadLetterHeaders.TOPIC)),
                Integer.parseInt(SimHandlers.text(letter.headers().lastHeader(DeadLetterHeaders.PARTITION))));
        String offset = SimHandlers.text(letter.headers().lastHeader(DeadLetterHeaders.OFFSET));
        SimShareDelivery delivery = find(id, Long.parseLong(offset));
        if (delivery != null) {
            delivery.lettered();
        }
    }

    @SuppressWarnings("AvoidObjectArrays") // Those of a reflective call.
    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failure) {
            throw failure.getCause();
        }
    }

    String describe() {
        return name + " " + parts.core().lifecycle().state() + ", "
                + parts.core().scheduler().running() + " permits, holds " + held() + ", told " + archived();
    }

    @Override
    public String toString() {
        return name;
    }
}
