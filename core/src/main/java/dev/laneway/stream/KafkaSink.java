package dev.laneway.stream;

import java.util.List;
import java.util.concurrent.Flow;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Streams into Kafka. Each of these is for one stream. What is in flight is bounded by the settings, and when a budget
 * is spent the stream above waits; a record in flight is in the producer's hands, and a broker that is slow slows the
 * stream down. No thread of the stream is blocked, unless it is a virtual one.
 */
public final class KafkaSink {
    private KafkaSink() {}

    /**
     * Sends records. Completes when all of them are acknowledged; fails with a {@link dev.laneway.SendFailedException}
     * when one cannot be sent, unless the settings say skip.
     */
    public static <K, V> Sink<ProducerRecord<K, V>> plain(ProducerSettings<K, V> settings) {
        SinkStage<ProducerRecord<K, V>, K, V, ProducerRecord<K, V>> sending =
                sending(settings, new ElementShape.Bare<>());
        DrainSink<ProducerRecord<K, V>> nobody = new DrainSink<>();
        sending.subscribe(nobody);
        return new CompositeSink<>(sending, List.of(sending), nobody.completion(), sending.closed());
    }

    /**
     * Sends the records of envelopes and gives a result for each envelope, in their order, when the broker has
     * acknowledged its records. For one stream above and one subscriber below.
     *
     * @param <P> what passes through
     */
    public static <K, V, P> Flow.Processor<Envelope<K, V, P>, Result<K, V, P>> flow(ProducerSettings<K, V> settings) {
        return sending(settings, new ElementShape.Enveloped<>());
    }

    /**
     * Produces and commits in one stage: what passes through an envelope is acknowledged when the broker has
     * acknowledged the envelope's records, never before, and committed as by {@link Committer#sink}. So each input is
     * written at least once, whatever crashes. An envelope that the settings skip counts as done.
     *
     * @param <P> where the envelope comes from: an offset, or a record
     */
    public static <K, V, P extends Acknowledgeable> Sink<Envelope<K, V, P>> committable(
            ProducerSettings<K, V> settings, CommitterSettings commits) {
        SinkStage<Envelope<K, V, P>, K, V, Result<K, V, P>> sending = sending(settings, new ElementShape.Enveloped<>());
        CommitterStage<P> committing = new CommitterStage<>(commits, false, StageRuntime.real("laneway-committer"));
        DrainSink<OffsetBatch> nobody = new DrainSink<>();
        committing.subscribe(nobody);
        sending.subscribe(new MappingStage<Result<K, V, P>, P>(Result::passThrough, committing));
        return new CompositeSink<>(sending, List.of(sending, committing), nobody.completion(), sending.closed());
    }

    /**
     * Writes envelopes exactly once: what passes through an envelope is acknowledged, and that and the envelope's
     * records are written in one transaction of the source, by its interval or when a batch is full. Nothing is sent
     * before, so that a crash leaves little behind. Completes when all that arrived is committed.
     *
     * <p>The records of each partition that was read are written in the order of their envelopes. Those of a partition
     * that was given up before are dropped: its next owner reads their inputs again.
     *
     * @param <P> where the envelope comes from: a record of {@link KafkaSource#transactional}, or its offset, once
     *     each, and nothing that was acknowledged before. An {@link OffsetBatch} is refused, since its offsets may be
     *     written in several transactions
     * @param transactions those that the source has
     */
    public static <K, V, P extends Acknowledgeable> Sink<Envelope<K, V, P>> transactional(
            TransactionSettings<K, V> transactions) {
        TransactionStage<K, V, P> transacting =
                new TransactionStage<>(transactions, StageRuntime.real("laneway-transactions"));
        DrainSink<P> nobody = new DrainSink<>();
        transacting.subscribe(nobody);
        return new CompositeSink<>(transacting, List.of(transacting), nobody.completion(), nobody.completion());
    }

    /**
     * As {@link #transactional}, and what passes through comes out, in order, when its transaction is committed. What
     * is dropped with its partition does not. When nobody takes it, the stream above waits. For one stream above and
     * one subscriber below.
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
