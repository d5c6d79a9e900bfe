package dev.laneway.stream.runtime;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A queue in an array that grows, with access by position, which {@code ArrayDeque} lacks. Not thread-safe. */
public final class GrowingQueue<E> {
    private @Nullable Object[] ring = new Object[16];
    private int first;
    private int size;

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public void add(E element) {
        if (size == ring.length) {
            grow();
        }
        ring[(first + size) & (ring.length - 1)] = element;
        size++;
    }

    private void grow() {
        @Nullable Object[] larger = new Object[2 * ring.length];
        System.arraycopy(ring, first, larger, 0, ring.length - first);
        System.arraycopy(ring, 0, larger, ring.length - first, first);
        ring = larger;
        first = 0;
    }

    /** The first one; null when there is none. */
    public @Nullable E peek() {
        return size == 0 ? null : get(0);
    }

    /** One by its position, 0 for the first. */
    @SuppressWarnings("unchecked") // Only elements are put in, and only they are looked at.
    public E get(int position) {
        Object element = ring[(first + position) & (ring.length - 1)];
        if (position >= size || element == null) {
            throw new IndexOutOfBoundsException(position + " of " + size);
        }
        return (E) element;
    }

    /** Takes the first one away. */
    public void remove() {
        if (size == 0) {
            throw new IndexOutOfBoundsException("it is empty");
        }
        ring[first] = null;
        first = (first + 1) & (ring.length - 1);
        size--;
    }

    public void clear() {
        Arrays.fill(ring, null);
        first = 0;
        size = 0;
    }
}
