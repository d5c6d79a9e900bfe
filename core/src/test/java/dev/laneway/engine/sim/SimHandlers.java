package dev.laneway.engine.sim;

import dev.laneway.DeadLetterHeaders;
import dev.laneway.Outcome;
import dev.laneway.engine.handle.HandlerSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** The handlers of one process: the seed decides what each attempt does, and the checks see it begin and end. */
final class SimHandlers {
    static final String INPUT = "sim.input";
    static final String ATTEMPT = "sim.attempt";
    static final String OUTPUT = "sim.output";

    private final SimWorld world;
    private final SimProcess process;
    private final SimConduct conduct;
    /** Attempts whose outputs are on their way. */
    private final Map<Long, SimAttempt> emitting = new HashMap<>();
    /** The latest attempt of each record, for dead letters, which name the record only. */
    private final Map<String, SimAttempt> latest = new HashMap<>();

    SimHandlers(SimWorld world, SimProcess process, SimHost host) {
        this.world = world;
        this.process = process;
        int carelessOnceIn = world.plan.theme == SimTheme.FAILING ? 10 : 0;
        this.conduct = new SimConduct(world.sim, world.random, world.plan, world.course, host, carelessOnceIn);
    }

    HandlerSpec handling() {
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        return switch (world.plan.handlers) {
            case PLAIN -> new HandlerSpec.Plain<>(bytes, bytes, this::plain);
            case EACH ->
                new HandlerSpec.Each<>(bytes, bytes, (record, context) -> each(record, context.attempt()), true);
            case BATCH ->
                new HandlerSpec.Batch<>(
                        bytes, bytes, world.plan.batchSize, world.plan.linger, new SimBatches(world, this)::handle);
            case ASYNC -> new HandlerSpec.Async<>(bytes, bytes, (record, context) -> async(record, context.attempt()));
        };
    }

    /** Whether the engine knows that a record is done as soon as its handler has ended. */
    boolean endAtOnce() {
        return switch (world.plan.handlers) {
            case PLAIN, EACH -> true;
            case ASYNC, BATCH -> false;
        };
    }

    private void plain(ConsumerRecord<byte[], byte[]> record) throws Exception {
        SimAttempt attempt = begin(record, 0, null);
        SimBehaviour drawn = draw(record);
        SimEnd end = SimConduct.plain(drawn);
        live(List.of(attempt), drawn, List.of(end));
        fail(end);
    }

    private Outcome each(ConsumerRecord<byte[], byte[]> record, int number) throws Exception {
        SimAttempt attempt = begin(record, number, null);
        SimBehaviour drawn = draw(record);
        live(List.of(attempt), drawn, List.of(drawn.end()));
        fail(drawn.end());
        return outcome(attempt, drawn.end());
    }

    private CompletionStage<Outcome> async(ConsumerRecord<byte[], byte[]> record, int number) throws Exception {
        SimAttempt attempt = begin(record, number, null);
        SimBehaviour drawn = draw(record);
        if (world.random.nextInt(3) == 0) {
            live(List.of(attempt), drawn, List.of(drawn.end()));
            fail(drawn.end());
            return CompletableFuture.completedFuture(outcome(attempt, drawn.end()));
        }
        CompletableFuture<Outcome> stage = SimConduct.stage(drawn);
        attempt.pends();
        conduct.later(drawn, () -> complete(stage, attempt, drawn.end()));
        if (drawn.stubborn() && world.plan.attemptLimitNanos > 0) {
            // The engine gives it up at the limit, and this stage may never say so: its process may die before.
            world.sim
                    .clock()
                    .schedule(Duration.ofNanos(world.plan.attemptLimitNanos), () -> mayHaveBeenGivenUp(attempt));
        }
        // The engine gives it up: at the limit, or with the partition.
        var _ = stage.whenComplete((outcome, failure) -> {
            if (stage.isCancelled() && !process.isDead()) {
                ends(attempt, SimEnd.FAILED);
            }
        });
        return stage;
    }

    private void complete(CompletableFuture<Outcome> stage, SimAttempt attempt, SimEnd end) {
        if (stage.isDone() || process.isDead()) {
            return;
        }
        ends(attempt, end);
        SimConduct.complete(stage, end, () -> done(attempt, end));
    }

    /** @param number what the engine says, 0 when it does not */
    SimAttempt begin(ConsumerRecord<byte[], byte[]> record, int number, @Nullable SimCall call) {
        if (process.isDead()) {
            throw new SimConduct.Mendable();
        }
        SimAttempt attempt = world.check.begins(process, record, call);
        if (number > 0 && number != attempt.number) {
            world.check.breach("B42 attempt " + number + " should be " + attempt);
        }
        latest.put(attempt.epoch.id + "@" + attempt.offset, attempt);
        return attempt;
    }

    /** Whether one is to stop the consumer; one that its limit has ended may never come to an end that is seen. */
    boolean hasStopped() {
        long now = world.sim.clock().nanoTime();
        return latest.values().stream().anyMatch(attempt -> attempt.stops(now));
    }

    SimBehaviour draw() {
        return conduct.draw();
    }

    private SimBehaviour draw(ConsumerRecord<byte[], byte[]> record) {
        SimBehaviour drawn = conduct.draw();
        return world.plan.isStuck(record) && !world.isCalm() ? SimBehaviour.STUCK : drawn;
    }

    /** Spends the time of attempts that one call makes and ends them. */
    void live(List<SimAttempt> attempts, SimBehaviour drawn, List<SimEnd> ends) throws InterruptedException {
        boolean interrupted = true;
        try {
            conduct.spend(drawn);
            interrupted = false;
        } finally {
            for (int i = 0; i < attempts.size() && !process.isDead(); i++) {
                ends(attempts.get(i), interrupted ? SimEnd.FAILED : ends.get(i));
            }
        }
        conduct.leave();
    }

    private void ends(SimAttempt attempt, SimEnd end) {
        world.check.ends(attempt, end);
        noteLack(attempt);
    }

    private void mayHaveBeenGivenUp(SimAttempt attempt) {
        if (!process.isDead()) {
            noteLack(attempt);
        }
    }

    private void noteLack(SimAttempt attempt) {
        if (attempt.mayLackOutputs(world.sim.clock().nanoTime())) {
            world.outputs().mayLack(attempt);
        }
    }

    void fail(SimEnd end) {
        conduct.fail(end);
    }

    Outcome outcome(SimAttempt attempt, SimEnd end) {
        return SimConduct.outcome(end, () -> done(attempt, end));
    }

    private Outcome done(SimAttempt attempt, SimEnd end) {
        return end.outputs() == 0 ? Outcome.done() : Outcome.emit(outputs(attempt, end.outputs()));
    }

    // ---------------------------------------------------------------- what is sent

    private List<ProducerRecord<byte[], byte[]>> outputs(SimAttempt attempt, int count) {
        long number = world.nextEmission();
        emitting.put(number, attempt);
        List<ProducerRecord<byte[], byte[]>> outputs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] lane = text(attempt.lane);
            ProducerRecord<byte[], byte[]> output = new ProducerRecord<>("out", lane, new byte[8]);
            output.headers()
                    .add(INPUT, text(attempt.epoch.id + "@" + attempt.offset))
                    .add(ATTEMPT, text(Long.toString(number)))
                    .add(OUTPUT, text(i + "/" + count));
            outputs.add(output);
        }
        return outputs;
    }

    /** A worker hands a record to the producer, whose buffer may be full. */
    void sends() {
        boolean waits = world.plan.theme == SimTheme.FAILING && !world.isCalm() && world.random.nextInt(4) == 0;
        if (Thread.currentThread().isInterrupted()) {
            world.check.breach("B47 " + process + " sends with an interrupt that was meant for a handler");
        } else if (waits) {
            try {
                world.sim.sleep(Duration.ofMillis(world.random.nextInt(1, 1_000)));
            } catch (InterruptedException stray) {
                world.check.breach("B47 " + process + " is interrupted while it sends");
            }
        }
    }

    /** The producer has answered. */
    void answered(ProducerRecord<byte[], byte[]> sent, @Nullable Exception failure) {
        Header own = sent.headers().lastHeader(ATTEMPT);
        if (isLetter(sent)) {
            SimAttempt attempt = latest.get(lettersRecord(sent));
            if (failure == null) {
                attempt.letterAcknowledged();
                world.check.noteDone(attempt);
            } else {
                refused(attempt, failure);
            }
        } else if (own != null) {
            SimAttempt attempt = emitting.get(Long.parseLong(text(own)));
            if (failure == null) {
                String output = text(sent.headers().lastHeader(OUTPUT));
                attempt.acknowledged(Integer.parseInt(output.substring(0, output.indexOf('/'))));
            } else {
                refused(attempt, failure);
                if (failure instanceof RecordTooLargeException) {
                    world.outputs().mayLack(attempt);
                }
            }
            world.check.noteDone(attempt);
        } else if (failure instanceof RecordTooLargeException) {
            process.mayFail();
        }
    }

    private void refused(SimAttempt attempt, Exception failure) {
        attempt.refused();
        if (attempt.isSentInVain() || failure instanceof RecordTooLargeException) {
            process.mayFail();
        }
    }

    private static String lettersRecord(ProducerRecord<byte[], byte[]> letter) {
        TopicPartition id = new TopicPartition(
                text(letter.headers().lastHeader(DeadLetterHeaders.TOPIC)),
                Integer.parseInt(text(letter.headers().lastHeader(DeadLetterHeaders.PARTITION))));
        return id + "@" + text(letter.headers().lastHeader(DeadLetterHeaders.OFFSET));
    }

    private static boolean isLetter(ProducerRecord<byte[], byte[]> sent) {
        return sent.topic().equals("dlq");
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(Header header) {
        return new String(header.value(), StandardCharsets.UTF_8);
    }
}
