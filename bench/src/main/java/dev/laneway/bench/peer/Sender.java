package dev.laneway.bench.peer;

import dev.laneway.bench.measure.SendTask;

/** A library, or the bare client, that writes. */
public interface Sender {
    /** Sends all records, and returns when the broker has acknowledged all of them. */
    void send(SendTask task) throws Exception;
}
