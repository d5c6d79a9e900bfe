package dev.laneway.bench;

/** A library, or the bare client, that writes. */
interface Sender {
    /** Sends all records, and returns when the broker has acknowledged all of them. */
    void send(SendTask task) throws Exception;
}
