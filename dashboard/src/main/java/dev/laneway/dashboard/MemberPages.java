package dev.laneway.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.dashboard.Frame.MemberPage;
import dev.laneway.ops.GroupMember;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks the pages of a group's members how they are, in the background. Used by one thread.
 *
 * <p>Only addresses are asked that the brokers name as hosts of members, at the port in the client id: no name is
 * resolved, no redirect followed, no proxy used. Whoever may join the group may name a port of the host that it comes
 * from; so nobody is asked, and no token sent, unless the user has said so.
 */
final class MemberPages implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(2);
    /** So many of a group are asked; a larger group than can be read. */
    static final int MOST_ASKED = 256;

    private static final long PERIOD_NANOS = 2_000_000_000L;
    private static final long PERIOD_AFTER_FAILURE_NANOS = 10_000_000_000L;
    private static final int MOST_AT_ONCE = 16;
    private static final long MOST_BYTES = 64 * 1024;
    private static final int LONGEST_TEXT = 500;
    private static final Pattern PORT = Pattern.compile("(?:^|[._-])page-([0-9]{1,5})(?![0-9A-Za-z])");
    private static final String LATER = "it was not asked yet";

    private final ObjectMapper mapper = new ObjectMapper();
    private final Map<URI, Asked> asked = new HashMap<>();
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(LIMIT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .executor(
                    task -> Thread.ofVirtual().name("laneway-dashboard-member").start(task))
            .build();
    private final @Nullable String token;

    /** One page: the answer that is awaited, and the last one. */
    private static final class Asked {
        @Nullable
        CompletableFuture<MemberPage> pending;

        MemberPage known = MemberPage.unknown(LATER);
        long nextNanos;
    }

    /** @param token that all members ask for; null if they ask for none */
    MemberPages(@Nullable String token) {
        this.token = token;
    }

    /** The port that a client id names, see {@link Dashboard#clientId}; empty if it names none. */
    static OptionalInt port(String clientId) {
        Matcher matcher = PORT.matcher(clientId);
        if (!matcher.find()) {
            return OptionalInt.empty();
        }
        int port = Integer.parseInt(matcher.group(1));
        return port < 1 || port > 65_535 ? OptionalInt.empty() : OptionalInt.of(port);
    }

    /** Takes the answers that have come, and asks whom it is time to ask. Waits for nobody. */
    void look(List<GroupMember> members, long nowNanos) {
        Set<URI> present = new HashSet<>();
        for (GroupMember member : members) {
            URI page = page(member);
            if (page != null && present.size() < MOST_ASKED) {
                present.add(page);
            }
        }
        asked.entrySet().removeIf(entry -> !present.contains(entry.getKey()) && cancel(entry.getValue()));
        int waiting = 0;
        for (Asked one : asked.values()) {
            take(one, nowNanos);
            waiting += one.pending == null ? 0 : 1;
        }
        for (URI page : present) {
            Asked one = asked.computeIfAbsent(page, _ -> newcomer(nowNanos));
            if (waiting < MOST_AT_ONCE && one.pending == null && nowNanos - one.nextNanos >= 0) {
                one.pending = ask(page);
                waiting++;
            }
        }
    }

    private static Asked newcomer(long nowNanos) {
        Asked one = new Asked();
        one.nextNanos = nowNanos;
        return one;
    }

    private static boolean cancel(Asked one) {
        CompletableFuture<MemberPage> pending = one.pending;
        if (pending != null) {
            pending.cancel(true);
        }
        return true;
    }

    private static void take(Asked one, long nowNanos) {
        CompletableFuture<MemberPage> pending = one.pending;
        if (pending != null && pending.isDone()) {
            one.known = pending.join(); // Failures have become answers.
            one.pending = null;
            one.nextNanos = nowNanos + (one.known.why().isEmpty() ? PERIOD_NANOS : PERIOD_AFTER_FAILURE_NANOS);
        }
    }

    /** What is known of a member, or why nothing is. */
    MemberPage of(GroupMember member) {
        if (port(member.clientId()).isEmpty()) {
            return MemberPage.unknown("its client id names no page");
        }
        URI page = page(member);
        if (page == null) {
            return MemberPage.unknown("its host is no address that can be asked");
        }
        Asked one = asked.get(page);
        return one == null ? MemberPage.unknown("more than " + MOST_ASKED + " members have pages") : one.known;
    }

    /** Null if it has none that may be asked. */
    private static @Nullable URI page(GroupMember member) {
        OptionalInt port = port(member.clientId());
        String host = member.host().startsWith("/") ? member.host().substring(1) : member.host();
        if (port.isEmpty()) {
            return null;
        }
        try {
            InetAddress address = InetAddress.ofLiteral(host); // Looks up no name.
            if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
                return null;
            }
            String literal = host.contains(":") ? "[" + host.replaceFirst("%.*", "") + "]" : host;
            return URI.create("http://" + literal + ":" + port.getAsInt() + "/summary");
        } catch (IllegalArgumentException noAddress) {
            return null;
        }
    }

    private CompletableFuture<MemberPage> ask(URI page) {
        HttpRequest.Builder request = HttpRequest.newBuilder(page).timeout(LIMIT);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        CompletableFuture<HttpResponse<byte[]>> answer =
                client.sendAsync(request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES));
        // The limit of the request ends with the headers; whoever sends the rest slowly is cut off by this one.
        return answer.copy()
                .orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((_, failed) -> {
                    if (failed != null) {
                        answer.cancel(true);
                    }
                })
                .handle((response, failed) -> failed != null ? failed(failed, page) : read(response))
                .exceptionally(wrong -> failed(wrong, page));
    }

    private static MemberPage failed(Throwable failed, URI page) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        if (cause instanceof HttpTimeoutException || cause instanceof TimeoutException) {
            return MemberPage.unknown("its page does not answer within " + LIMIT.toSeconds() + " s");
        }
        if (cause instanceof ConnectException) {
            return MemberPage.unknown("nobody listens at port " + page.getPort());
        }
        return MemberPage.unknown("its page cannot be read (" + cause.getClass().getSimpleName() + ")");
    }

    private MemberPage read(HttpResponse<byte[]> response) {
        if (response.statusCode() == 401) {
            return MemberPage.unknown(token == null ? "its page asks for a token" : "its page asks for another token");
        }
        if (response.statusCode() != 200) {
            return MemberPage.unknown("its page answers " + response.statusCode());
        }
        try {
            JsonNode json = mapper.readTree(response.body());
            if (json == null || !json.path("verdict").path("outcome").isTextual()) {
                return MemberPage.unknown("what answers there is no page of a member");
            }
            JsonNode totals = json.path("totals");
            return new MemberPage(
                    text(json.path("state")),
                    text(json.path("verdict").path("outcome")),
                    text(json.path("verdict").path("sentence")),
                    number(totals.path("done")),
                    whole(totals.path("lag")),
                    whole(totals.path("running")),
                    whole(totals.path("limit")),
                    number(totals.path("busy")),
                    "");
        } catch (IOException noJson) {
            return MemberPage.unknown("what answers there is no page of a member");
        }
    }

    /** Others wrote it, and may write as much as they like. */
    private static @Nullable String text(JsonNode of) {
        String text = of.isTextual() ? of.asText() : null;
        return text == null || text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
    }

    private static @Nullable Double number(JsonNode of) {
        return of.isNumber() && Double.isFinite(of.asDouble()) ? (Double) of.asDouble() : null;
    }

    private static @Nullable Long whole(JsonNode of) {
        return of.canConvertToLong() ? (Long) of.asLong() : null;
    }

    @Override
    public void close() {
        asked.values().forEach(MemberPages::cancel);
        client.shutdownNow();
    }
}
