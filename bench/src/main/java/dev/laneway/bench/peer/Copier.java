package dev.laneway.bench.peer;

import dev.laneway.bench.measure.CopyTask;

/** A library, or the bare client, that reads, computes and writes exactly once. */
public interface Copier {
    /** Starts, and does not wait. */
    Peer.Running copy(CopyTask task) throws Exception;
}
