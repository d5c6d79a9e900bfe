package dev.laneway.stream;

/** The control of a source, as the stages of its stream see it: they report failures to it. Thread-safe. */
interface SourceControl extends Control {
    /** The stages of the stream. */
    Pipeline pipeline();

    /**
     * The stream has failed: ends all of it with this cause, without waiting for acknowledgements. The first cause
     * counts and is logged.
     */
    void failed(Throwable cause);
}
