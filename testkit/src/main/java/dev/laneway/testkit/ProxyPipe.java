package dev.laneway.testkit;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * One direction of a {@link ProxyLink}: a thread that reads, a thread that writes, and a buffer between them. The
 * buffer takes up to a megabyte while bytes are held back, as a socket's buffers do.
 */
final class ProxyPipe {

    private static final int PIECE = 16 << 10;
    private static final int PIECES = 64;

    private final ProxyLink link;
    private final ProxyWeather weather;
    private final Socket from;
    private final Socket to;
    private final BlockingQueue<Piece> underWay = new ArrayBlockingQueue<>(PIECES);

    /** What was read at once, and when. */
    private sealed interface Piece {
        long cameNanos();
    }

    private record Bytes(ByteBuffer content, long cameNanos) implements Piece {}

    /** The sender has closed its side. */
    private record End(long cameNanos) implements Piece {}

    /** The sender has reset the connection. */
    private record Reset(long cameNanos) implements Piece {}

    ProxyPipe(ProxyLink link, ProxyWeather weather, Socket from, Socket to) {
        this.link = link;
        this.weather = weather;
        this.from = from;
        this.to = to;
    }

    void read() throws InterruptedException {
        byte[] buffer = new byte[PIECE];
        while (true) {
            Piece piece;
            try {
                int length = from.getInputStream().read(buffer);
                long now = System.nanoTime();
                piece = length < 0 ? new End(now) : new Bytes(ByteBuffer.wrap(Arrays.copyOf(buffer, length)), now);
            } catch (IOException e) {
                piece = new Reset(System.nanoTime());
            }
            underWay.put(piece);
            if (!(piece instanceof Bytes)) {
                return;
            }
        }
    }

    void write() throws InterruptedException {
        boolean broken = false;
        while (true) {
            Piece piece = underWay.take();
            if (!weather.awaitDue(piece.cameNanos())) {
                broken = true; // What follows a gap must not arrive either.
                link.lose();
                continue;
            }
            switch (piece) {
                case Bytes bytes -> broken = broken || !written(bytes);
                case End end -> {
                    shutdown(broken);
                    return;
                }
                case Reset reset -> {
                    link.reset();
                    return;
                }
            }
        }
    }

    /** False if part of it was lost, or the receiver has gone; then the rest is read and dropped. */
    private boolean written(Bytes bytes) throws InterruptedException {
        byte[] content = bytes.content().array();
        for (int at = 0; at < content.length; ) {
            if (!weather.awaitDue(bytes.cameNanos())) {
                link.lose();
                return false;
            }
            int length = weather.slice(content.length - at);
            try {
                to.getOutputStream().write(content, at, length);
            } catch (IOException e) {
                // The other direction reports the end, so that what is still in its buffer is not lost.
                return false;
            }
            weather.pace(length);
            at += length;
        }
        return true;
    }

    private void shutdown(boolean broken) {
        try {
            if (!broken) {
                to.shutdownOutput();
            }
        } catch (IOException e) {
            // Closed already.
        }
        link.ended();
    }
}
