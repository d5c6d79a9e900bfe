package dev.laneway.dashboard;

import dev.laneway.Laneway;
import dev.laneway.ops.observe.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/** Describes a {@link Dashboard}. Used by one thread. */
public final class DashboardBuilder {
    private final @Nullable Laneway laneway;
    private final @Nullable Admin admin;
    private final List<? extends Source> more;
    private final Set<String> hosts = new HashSet<>();
    private String name;
    private InetAddress address = InetAddress.getLoopbackAddress();
    private int port;
    private @Nullable String token;
    private @Nullable Path audit;
    private boolean asksMembers;
    private @Nullable RecordWatch records;
    private @Nullable String memberToken;

    DashboardBuilder(Laneway laneway) {
        this.laneway = laneway;
        this.admin = null;
        this.more = List.of();
        this.name = "Laneway";
    }

    DashboardBuilder(Admin admin, String group, List<? extends Source> more) {
        this.laneway = null;
        this.admin = admin;
        this.more = List.copyOf(more);
        this.name = group;
    }

    /** The title of the page. Default: the group, or Laneway. */
    public DashboardBuilder name(String title) {
        if (admin != null) {
            throw new IllegalStateException("the name is '" + title + "' but a group's page has the group's: leave it");
        }
        name = title;
        return this;
    }

    /** Default: a free port. */
    public DashboardBuilder port(int number) {
        if (number < 0 || number > 65_535) {
            throw new IllegalArgumentException(
                    "port is " + number + " but must be from 0 to 65535: give a free one, or 0 for any");
        }
        port = number;
        return this;
    }

    /**
     * Where to listen. Default: loopback, where everybody on this machine may look. On any other address a token is
     * needed, and it crosses the network unencrypted: put a proxy with TLS before it.
     */
    public DashboardBuilder address(InetAddress listenOn) {
        address = listenOn;
        return this;
    }

    /**
     * The token that is asked for, at least 16 characters. Default: a new one with each start where one is needed, that
     * is on other addresses than loopback, and for actions; else none is asked for.
     */
    public DashboardBuilder token(String secret) {
        token = Access.checked(secret);
        return this;
    }

    /**
     * A name by which browsers may open the page, such as that of a proxy. Addresses and localhost always may; other
     * names are refused, since a page of another site may have made its own name lead here.
     */
    public DashboardBuilder allowHost(String host) {
        hosts.add(host.toLowerCase(Locale.ROOT));
        return this;
    }

    /**
     * Shows single records, too. Default: none.
     *
     * @param watch the one that the consumer was started with as its observer
     */
    public DashboardBuilder records(RecordWatch watch) {
        if (laneway == null) {
            throw new IllegalStateException("a page of a group knows no single records: show a consumer");
        }
        records = watch;
        return this;
    }

    /**
     * Asks each member's own page how it is, and shows that in the table of members. Default: none is asked. A member
     * that has a page says so in its client id, see {@link Dashboard#clientId}, and its page must listen where this
     * process can reach it. Each is asked once in two seconds at most.
     *
     * @param secret the token of the members' pages, which is sent to the addresses that the group's members come from,
     *     unencrypted; so take one that lets nobody act. Null if they ask for none
     */
    public DashboardBuilder askMembers(@Nullable String secret) {
        if (admin == null) {
            throw new IllegalStateException("a page of one consumer has no members to ask: show a group");
        }
        asksMembers = true;
        memberToken = secret == null ? null : Access.checked(secret);
        return this;
    }

    /**
     * Allows whoever has the token to pause, resume and drain. Default: nobody may.
     *
     * @param auditLog to which a line of JSON is appended for each action and each refused one; an action is not done
     *     if its line cannot be written
     */
    public DashboardBuilder actions(Path auditLog) {
        if (laneway == null) {
            throw new IllegalStateException(
                    "the audit log is " + auditLog + " but a group has no actions: leave it out, or show a consumer");
        }
        audit = auditLog;
        return this;
    }

    /**
     * Starts it.
     *
     * @throws UncheckedIOException if it cannot listen there, or the audit log cannot be written
     */
    public Dashboard start() {
        boolean isTokenNeeded = token != null || !address.isLoopbackAddress();
        String secret = token != null ? token : Access.newToken();
        Timeline timeline = new Timeline();
        Broadcast broadcast = new Broadcast();
        Exchanges exchanges = new Exchanges();
        Actions actions = null;
        try {
            actions = audit == null || laneway == null ? null : new Actions(laneway, audit, timeline);
            Live live = new Live(
                    feed(), broadcast, timeline, actions == null ? List.of() : actions.names(), exchanges::cutOff);
            Access access = new Access(hosts, secret);
            PageServer server = new PageServer(
                    new InetSocketAddress(address, port), access, isTokenNeeded, broadcast, live, actions, exchanges);
            live.start();
            server.start();
            Runnable end = actions == null ? () -> {} : actions::close;
            return new Dashboard(server, live, end, uri(server.port(), isTokenNeeded || actions != null, secret));
        } catch (IOException failed) {
            close(actions);
            throw new UncheckedIOException(
                    "the page cannot listen on " + address.getHostAddress() + ":" + port
                            + (audit == null ? "" : " or append to " + audit) + ": " + failed.getMessage(),
                    failed);
        } catch (InterruptedException interrupted) {
            close(actions);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the page started", interrupted);
        }
    }

    private static void close(@Nullable Actions actions) {
        if (actions != null) {
            actions.close();
        }
    }

    private Feed feed() {
        if (laneway != null) {
            return new LanewayFeed(laneway, name, records);
        }
        return new GroupFeed(
                Objects.requireNonNull(admin), name, more, asksMembers ? new MemberPages(memberToken) : null);
    }

    private URI uri(int listensOn, boolean withToken, String secret) {
        String host = address.isAnyLocalAddress() || address.isLoopbackAddress()
                ? "localhost"
                : address.getHostAddress().contains(":")
                        ? "[" + address.getHostAddress() + "]"
                        : address.getHostAddress();
        return URI.create("http://" + host + ":" + listensOn + "/" + (withToken ? "#token=" + secret : ""));
    }
}
