package dev.laneway.stream;

/**
 * Maps one element to another. It may block, since it runs on a virtual thread. Called by several threads at once, so
 * it must be thread-safe.
 */
@FunctionalInterface
public interface BlockingFunction<T, R> {
    /**
     * Maps an element.
     *
     * @return not null
     * @throws Exception of any kind: the stream fails. The thread is interrupted when the stream has ended and the
     *     result is no longer needed
     */
    R apply(T element) throws Exception;
}
