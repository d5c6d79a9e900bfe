package dev.laneway.ops.simulate;

/** A queue of numbers. Used by one thread. */
final class IntRing {
    private int[] items = new int[16];
    private int first;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    void add(int item) {
        if (size == items.length) {
            int[] larger = new int[size * 2];
            System.arraycopy(items, first, larger, 0, size - first);
            System.arraycopy(items, 0, larger, size - first, first);
            items = larger;
            first = 0;
        }
        items[(first + size++) & (items.length - 1)] = item;
    }

    /** Takes the oldest; there must be one. */
    int take() {
        int item = items[first];
        first = (first + 1) & (items.length - 1);
        size--;
        return item;
    }
}
