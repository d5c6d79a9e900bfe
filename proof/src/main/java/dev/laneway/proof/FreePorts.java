package dev.laneway.proof;

import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * Ports for servers that start later, and again after a kill. They are below the ports of outgoing connections, so that
 * no client takes one while its server is down. Used by one thread.
 */
final class FreePorts {
    private static final int FIRST = 20_000;
    private static final int LAST = 31_999;

    private int next;

    /** Starts at a random port, so that two runs at once seldom collide. */
    FreePorts(RandomGenerator chance) {
        next = chance.nextInt(FIRST, LAST + 1);
    }

    /** A port without a listener. */
    int take() {
        for (int tried = FIRST; tried <= LAST; tried++) {
            int port = next;
            next = port == LAST ? FIRST : port + 1;
            if (isFree(port)) {
                return port;
            }
        }
        throw new VerbFailure("no port from " + FIRST + " to " + LAST + " is free; end the programs that listen there");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
