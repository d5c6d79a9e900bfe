package dev.laneway.bench;

/** A library, or the bare client, that reads, computes and writes exactly once. */
interface Copier {
    /** Starts, and does not wait. */
    Peer.Running copy(CopyTask task) throws Exception;
}
