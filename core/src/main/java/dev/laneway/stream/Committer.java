package dev.laneway.stream;

import dev.laneway.stream.runtime.StageRuntime;
import java.util.List;
import java.util.concurrent.Flow;

/**
 * Stages that commit. What arrives is acknowledged at once, in any order. A commit is requested when a batch is full,
 * when its interval has passed, and when the stream completes. Offsets of partitions that were given up are ignored. In
 * an orderly rebalance everything acknowledged is committed without waiting for a batch.
 *
 * <p>Use each stage in one stream only, as Reactive Streams require: one signal at a time. A commit that fails
 * permanently fails the stream.
 */
public final class Committer {
    private Committer() {}

    /** Completes when all that arrived is committed. */
    public static <T extends Acknowledgeable> Sink<T> sink(CommitterSettings settings) {
        CommitterStage<T> committing = new CommitterStage<>(settings, false, StageRuntime.real("laneway-committer"));
        DrainSink<OffsetBatch> drain = new DrainSink<>();
        committing.subscribe(drain);
        return new CompositeSink<>(committing, List.of(committing), drain.completion(), drain.completion());
    }

    /**
     * Emits each batch when it is committed, in order. It commits without downstream demand too, but without demand for
     * the batches upstream waits.
     */
    public static <T extends Acknowledgeable> Flow.Processor<T, OffsetBatch> flow(CommitterSettings settings) {
        return new CommitterStage<>(settings, true, StageRuntime.real("laneway-committer"));
    }
}
