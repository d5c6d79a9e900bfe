package dev.laneway.engine.sim;

import dev.laneway.engine.ConsumerLaunch;
import dev.laneway.engine.Engine;
import dev.laneway.engine.FeedingConsumer;
import dev.laneway.engine.Member;
import dev.laneway.engine.MemberWiring;
import dev.laneway.engine.RunningConsumer;
import dev.laneway.testkit.sim.SimConsumer;
import dev.laneway.testkit.sim.SimProducer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** One process of {@link SimGroup} with one member in it that feeds a stream: the engine's side of it. */
public final class SimFeeder {
    /** Whoever checks what the member does. */
    public interface Watch {
        /** The partitions come; the engine does not know yet. */
        void assigned(Collection<TopicPartition> ids);

        /** The partitions are to be given up; the engine does not know yet. */
        void revoking(Collection<TopicPartition> ids);

        /** The partitions have been given up. */
        void gone(Collection<TopicPartition> ids);

        /** The member commits: what is done of a partition, as the offset and its map say. */
        void commits(TopicPartition id, long offset, LongPredicate isDone);

        /** The member has ended of itself. */
        void ended(@Nullable Throwable failure);
    }

    private final SimGroup group;
    private final String name;
    private final Watch watch;
    private final SimHost host;
    private final SimConsumer consumer;
    private final List<SimProducer> producers = new ArrayList<>();
    private @Nullable MemberWiring parts;
    private @Nullable Engine engine;

    SimFeeder(SimGroup group, String name, int slot, Watch watch) {
        this.group = group;
        this.name = name;
        this.watch = watch;
        this.host = new SimHost(group.sim, group.random.split(), () -> {
            throw new IllegalStateException("the owner of " + name + " was interrupted");
        });
        this.consumer = group.sim.broker().consumer(group.plan.consumer(name, slot));
        this.consumer.waitInPoll();
    }

    private SimProducer producer() {
        SimProducer producer = group.sim.broker().producer(group.plan.producer(null));
        producers.add(producer);
        return producer;
    }

    /** Threads of this machine, which end with it. */
    public Executor threads() {
        return host::execute;
    }

    /** As {@link ConsumerLaunch#feed()} does, with the clients and the threads of the simulation. */
    public FeedingConsumer feed(ConsumerLaunch launch) {
        if (isDead()) {
            throw new IllegalStateException("the process is dead");
        }
        MemberWiring made = MemberWiring.of(
                host,
                launch.settings().options(),
                group.plan.member(name),
                launch.settings().handling(),
                launch.listener(),
                SimFeedTap.on(consumer, this, watch),
                () -> {
                    throw new IllegalStateException("streams spill nothing");
                },
                this::producer,
                number -> producer());
        Engine turns = new Engine(made);
        parts = made;
        engine = turns;
        made.committer().make();
        SimOwner owner = new SimOwner(turns, host);
        group.sim.scheduler().execute(() -> owner.own(() -> true, () -> {}, watch::ended));
        Member member = new Member(turns);
        return new FeedingConsumer(new RunningConsumer(
                List.of(member), launch.settings().options(), made.core().conditions(), null));
    }

    /** The process dies, and says nothing to anybody. */
    public void kill() {
        host.die();
        consumer.kill();
        producers.forEach(SimProducer::kill);
    }

    /** Whether it was killed. */
    public boolean isDead() {
        return host.isDead();
    }

    /** Whether it is to end, and nothing of it may go down any more. */
    public boolean isClosing() {
        Engine turns = engine;
        return turns != null && turns.isClosing();
    }

    /** Whether it holds no record, and waits for none. */
    public boolean isIdle() {
        MemberWiring made = parts;
        return made == null
                || made.core().assignment().all().stream()
                        .allMatch(partition -> partition.held.ledger.records() == 0 && partition.held.busy() == 0);
    }

    /** What is left to do, for the explanation of a run that gets to no end. */
    public String describe() {
        MemberWiring made = parts;
        return made == null ? name : SimDescription.of(name, made.core());
    }
}
