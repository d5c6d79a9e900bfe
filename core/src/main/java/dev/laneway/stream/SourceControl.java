package dev.laneway.stream;

/** The control of where a stream comes from, as its own stages see it: they tell when the stream fails. Thread-safe. */
interface SourceControl extends Control {
    /** The stages of the stream. */
    Pipeline pipeline();

    /**
     * The stream has failed, here or further down: ends all of it with this cause, and waits for nothing that only the
     * stream could still do. The first cause counts, and is logged.
     */
    void failed(Throwable cause);
}
