package dev.laneway.stream;

import java.util.List;
import java.util.concurrent.Flow;

/**
 * Commits as stages of a stream. What arrives is acknowledged at once, in memory, in whatever order it arrives; a
 * commit of the source's consumer is asked for when a batch is full, when its time is up, and when the stream
 * completes. Partitions that have been given up meanwhile are ignored. What is acknowledged is also committed when its
 * partition is given up in peace, without waiting for a batch.
 *
 * <p>Each of these is for one stream. A commit that fails for good fails the stream.
 */
public final class Committer {
    private Committer() {}

    /** Completes when all that arrived is committed. */
    public static <T extends Acknowledgeable> Sink<T> sink(CommitterSettings settings) {
        CommitterStage<T> committing = new CommitterStage<>(settings, false, StageRuntime.real("laneway-committer"));
        DrainSink<OffsetBatch> nobody = new DrainSink<>();
        committing.subscribe(nobody);
        return new CompositeSink<>(committing, List.of(committing), nobody.completion(), nobody.completion());
    }

    /**
     * Gives each batch when it is committed, in order. It commits without demand from below, too; when nobody takes the
     * batches, the stream above waits.
     */
    public static <T extends Acknowledgeable> Flow.Processor<T, OffsetBatch> flow(CommitterSettings settings) {
        return new CommitterStage<>(settings, true, StageRuntime.real("laneway-committer"));
    }
}
