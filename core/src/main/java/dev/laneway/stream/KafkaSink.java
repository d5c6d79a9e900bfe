package dev.laneway.stream;

import dev.laneway.stream.runtime.StageRuntime;
import java.util.List;
import java.util.concurrent.Flow;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Streams into Kafka. Use each sink in one stream only. The settings limit the records in flight; at the limit upstream
 * waits, so a slow broker slows the stream down. A sink blocks virtual threads only.
 */
public final class KafkaSink {
    private KafkaSink() {}

    /**
     * Sends records. Completes when all of them are acknowledged; fails with a {@link dev.laneway.SendFailedException}
     * if one cannot be sent, unless the settings say skip.
     */
    public static <K, V> Sink<ProducerRecord<K, V>> plain(ProducerSettings<K, V> settings) {
        SinkStage<ProducerRecord<K, V>, K, V, ProducerRecord<K, V>> sending =
                sending(settings, new ElementShape.Bare<>());
        DrainSink<ProducerRecord<K, V>> drain = new DrainSink<>();
        sending.subscribe(drain);
        return new CompositeSink<>(sending, List.of(sending), drain.completion(), sending.closed());
    }

    /**
     * Sends the records of envelopes and emits a result for each envelope, in order, when the broker has acknowledged
     * its records. For one upstream and one subscriber.
     *
     * @param <P> what passes through
     */
    public static <K, V, P> Flow.Processor<Envelope<K, V, P>, Result<K, V, P>> flow(ProducerSettings<K, V> settings) {
        return sending(settings, new ElementShape.Enveloped<>());
    }

    /**
     * Produces and commits in one stage: what passes through an envelope is acknowledged only when the broker has
     * acknowledged the envelope's records, and then committed as by {@link Committer#sink}. So each input is written at
     * least once, whatever crashes. An envelope that the settings skip counts as done.
     *
     * @param <P> where the envelope comes from: an offset, or a record
     */
    public static <K, V, P extends Acknowledgeable> Sink<Envelope<K, V, P>> committable(
            ProducerSettings<K, V> settings, CommitterSettings commits) {
        SinkStage<Envelope<K, V, P>, K, V, Result<K, V, P>> sending = sending(settings, new ElementShape.Enveloped<>());
        CommitterStage<P> committing = new CommitterStage<>(commits, false, StageRuntime.real("laneway-committer"));
        DrainSink<OffsetBatch> drain = new DrainSink<>();
        committing.subscribe(drain);
        sending.subscribe(new MappingStage<Result<K, V, P>, P>(Result::passThrough, committing));
        return new CompositeSink<>(sending, List.of(sending, committing), drain.completion(), sending.closed());
    }

    /**
     * Writes envelopes exactly once: the offset that passes through an envelope and the envelope's records are written
     * in one transaction of the source, after its interval or when a batch is full. Nothing is sent before the
     * transaction. Completes when all that arrived is committed.
     *
     * <p>The outputs of each input partition are written in the order of their envelopes. Those of a partition that was
     * given up before are dropped: its next owner reads their inputs again.
     *
     * @param <P> a record of {@link KafkaSource#transactional}, or its offset; each only once, and not acknowledged
     *     before. An {@link OffsetBatch} is refused, since its offsets may belong to several transactions
     * @param transactions the settings that the source has
     */
    public static <K, V, P extends Acknowledgeable> Sink<Envelope<K, V, P>> transactional(
            TransactionSettings<K, V> transactions) {
        TransactionStage<K, V, P> transacting =
                new TransactionStage<>(transactions, StageRuntime.real("laneway-transactions"));
        DrainSink<P> drain = new DrainSink<>();
        transacting.subscribe(drain);
        return new CompositeSink<>(transacting, List.of(transacting), drain.completion(), drain.completion());
    }

    /**
     * As {@link #transactional}, and emits what passes through, in order, when its transaction is committed. What is
     * dropped with its partition is not emitted. Without demand upstream waits. For one upstream and one subscriber.
     *
     * @param <P> as of {@link #transactional}
     */
    public static <K, V, P extends Acknowledgeable> Flow.Processor<Envelope<K, V, P>, P> transactionalFlow(
            TransactionSettings<K, V> transactions) {
        return new TransactionStage<>(transactions, StageRuntime.real("laneway-transactions"));
    }

    private static <T, K, V, R> SinkStage<T, K, V, R> sending(
            ProducerSettings<K, V> settings, ElementShape<T, K, V, R> shape) {
        return new SinkStage<>(settings, shape, StageRuntime.real("laneway-sink"));
    }
}
