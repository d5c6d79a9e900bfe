package dev.laneway.dashboard;

import dev.laneway.Laneway;
import dev.laneway.ops.observe.Source;
import java.net.URI;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;

/**
 * A running page that shows whether a consumer keeps up, what limits it, and which partition is to blame. One line
 * starts it: {@code Dashboard.of(laneway).start()}. Thread-safe.
 *
 * <p>It listens on this machine alone unless told otherwise, shows no key and no value, and changes nothing unless
 * {@link DashboardBuilder#actions} allows that. Its threads are daemons: it keeps no process alive.
 */
public final class Dashboard implements AutoCloseable {
    private final PageServer server;
    private final Live live;
    private final Runnable end;
    private final URI uri;

    Dashboard(PageServer server, Live live, Runnable end, URI uri) {
        this.server = server;
        this.live = live;
        this.end = end;
        this.uri = uri;
    }

    /** Describes a page of a consumer of this process. The consumer stays yours: closing the page does not close it. */
    public static DashboardBuilder of(Laneway laneway) {
        return new DashboardBuilder(laneway);
    }

    /**
     * Describes a page of a group of any kind, as its brokers and, for the verdict, further sources tell it.
     *
     * @param admin stays yours; needs the rights of {@code laneway check}, see docs/check.md
     * @param more such as a member's JMX; closed with the page
     */
    public static DashboardBuilder ofGroup(Admin admin, String group, List<? extends Source> more) {
        return new DashboardBuilder(admin, group, more);
    }

    /**
     * A {@code client.id} that tells where the page of a consumer is, so that a page of its group finds it: start the
     * consumer with it, and its page at that port.
     *
     * @throws IllegalArgumentException if the port is none
     */
    public static String clientId(String name, int port) {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException(
                    "port is " + port + " but must be from 1 to 65535: name the one that the page listens at");
        }
        return name + ".page-" + port;
    }

    /**
     * Checks a token that was read from elsewhere.
     *
     * @throws IllegalArgumentException if it can be guessed or cannot be sent; the message does not have it
     */
    public static void checkToken(String token) {
        Access.checked(token);
    }

    /**
     * Where it is. The part after # is the token, if one is needed: no browser sends it to a server or passes it on.
     */
    public URI uri() {
        return uri;
    }

    /** Ends the page. */
    @Override
    public void close() {
        server.close();
        live.close();
        end.run();
    }
}
