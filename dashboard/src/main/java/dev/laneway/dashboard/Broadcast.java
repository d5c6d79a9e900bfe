package dev.laneway.dashboard;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Server-sent events to all who watch. Each has a thread of its own and one message that waits: who is slow misses
 * frames, and who takes nothing for long is cut off. So neither slow nor many watchers hold up anything. Thread-safe.
 */
final class Broadcast {
    static final int MOST_WATCHERS = 32;
    static final long SLOWEST_NANOS = 10_000_000_000L;
    private static final long KEEP_ALIVE_SECONDS = 15;

    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** One who watches. */
    private static final class Watcher {
        final BlockingQueue<byte[]> next = new ArrayBlockingQueue<>(1);
        final Thread thread = Thread.currentThread();
        /** When the write that goes on now began; 0 if none does. */
        volatile long writingSince;
    }

    /** Whether one more would be too many. */
    boolean isFull() {
        return watchers.size() >= MOST_WATCHERS;
    }

    /** Serves one until it leaves, in its own thread. */
    void serve(HttpExchange exchange, byte[] hello, byte[] latest) throws IOException {
        Watcher watcher = new Watcher();
        watchers.add(watcher);
        try (OutputStream out = exchange.getResponseBody()) {
            write(watcher, out, event("hello", hello));
            write(watcher, out, event("frame", latest));
            while (!closed) {
                byte[] frame = watcher.next.poll(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
                write(watcher, out, frame == null ? ":\n\n".getBytes(StandardCharsets.UTF_8) : event("frame", frame));
            }
        } catch (InterruptedException slow) {
            Thread.currentThread().interrupt();
        } finally {
            watchers.remove(watcher);
        }
    }

    private static void write(Watcher watcher, OutputStream out, byte[] event) throws IOException {
        watcher.writingSince = System.nanoTime() | 1; // Never 0.
        out.write(event);
        out.flush();
        watcher.writingSince = 0;
    }

    /** JSON has no line breaks, so it is one line of data. */
    private static byte[] event(String name, byte[] data) {
        byte[] head = ("event: " + name + "\ndata: ").getBytes(StandardCharsets.UTF_8);
        byte[] event = new byte[head.length + data.length + 2];
        System.arraycopy(head, 0, event, 0, head.length);
        System.arraycopy(data, 0, event, head.length, data.length);
        event[event.length - 2] = '\n';
        event[event.length - 1] = '\n';
        return event;
    }

    /** Shows a frame to all, and cuts off who has not taken the one before. */
    void send(byte[] frame) {
        long now = System.nanoTime();
        for (Watcher watcher : watchers) {
            long since = watcher.writingSince;
            if (since != 0 && now - since > SLOWEST_NANOS) {
                watcher.thread.interrupt(); // Closes its channel.
                continue;
            }
            if (!watcher.next.offer(frame)) {
                watcher.next.poll();
                watcher.next.offer(frame);
            }
        }
    }

    /** Ends all. */
    void close() {
        closed = true;
        watchers.forEach(watcher -> watcher.thread.interrupt());
    }
}
