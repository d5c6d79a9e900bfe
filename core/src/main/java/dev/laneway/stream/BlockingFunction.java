package dev.laneway.stream;

/** Makes one element from another. It may wait: it is called on a virtual thread. Called by several threads at once. */
@FunctionalInterface
public interface BlockingFunction<T, R> {
    /**
     * Makes the element.
     *
     * @return not null
     * @throws Exception what makes the stream fail; an {@link InterruptedException} tells that nobody waits any more
     */
    R apply(T element) throws Exception;
}
