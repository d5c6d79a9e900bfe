package dev.laneway.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.ConfigurationException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Frames of a page that another process serves, asked for once a second by a thread of its own. Thread-safe.
 *
 * <p>The token goes to the named address alone: redirects are not followed, no proxy is used.
 */
final class PageFrames implements FrameSource {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final long MOST_BYTES = 4 << 20;
    private static final String TOKEN = "token=";

    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(LIMIT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .build();
    private final URI page;
    private final HttpRequest request;
    private final Thread thread;
    private volatile Reading latest;

    /**
     * Starts to ask.
     *
     * @param address as the page's owner has printed it, see {@link #checked}
     * @param given the token; null if it is in the address, or none is asked for
     */
    PageFrames(String address, @Nullable String given) {
        URI checked = checked(address);
        String fragment = checked.getFragment();
        String token = given != null || fragment == null ? given : fragment.substring(TOKEN.length());
        String base = address.replaceFirst("#.*", "");
        page = URI.create(base);
        HttpRequest.Builder builder = HttpRequest.newBuilder(
                        URI.create(base + (base.endsWith("/") ? "" : "/") + "frame"))
                .timeout(LIMIT);
        if (token != null) {
            builder.header("Authorization", "Bearer " + token);
        }
        request = builder.build();
        latest = new Reading(null, "Nothing has come from " + page + " yet.");
        thread = Thread.ofVirtual().name("laneway-top").start(this::run);
    }

    /** @throws ConfigurationException unless it is the address of a page; the message does not have its token */
    static URI checked(String address) {
        String shown = address.replaceFirst("#.*", "");
        try {
            URI uri = new URI(address);
            boolean hasToken = uri.getFragment() == null
                    || (uri.getFragment().startsWith(TOKEN)
                            && uri.getFragment().chars().allMatch(c -> c > ' ' && c < 127));
            if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                    && uri.getHost() != null
                    && uri.getUserInfo() == null
                    && uri.getQuery() == null
                    && hasToken) {
                return uri;
            }
        } catch (URISyntaxException wrong) {
            // The same sentence.
        }
        throw new ConfigurationException(
                "--page", shown, "must be the address of a live page", "copy it from the line that begins with Open");
    }

    private void run() {
        try {
            while (true) {
                ask();
                Thread.sleep(PERIOD);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void ask() throws InterruptedException {
        JsonNode before = latest.frame();
        try {
            HttpResponse<byte[]> answer =
                    client.send(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES));
            JsonNode json = mapper.readTree(answer.body());
            if (answer.statusCode() != 200) {
                String sentence = json == null ? "" : json.path("sentence").asText("");
                latest = new Reading(
                        before,
                        page + " answers " + answer.statusCode() + (sentence.isEmpty() ? "." : ": " + sentence + "."));
            } else if (json == null || !json.path("verdict").isObject()) {
                latest = new Reading(before, page + " is no live page.");
            } else {
                latest = new Reading(json, "");
            }
        } catch (HttpTimeoutException slow) {
            latest = new Reading(before, page + " does not answer within " + LIMIT.toSeconds() + " s.");
        } catch (ConnectException gone) {
            latest = new Reading(before, "Nobody listens at " + page + ": has its process ended?");
        } catch (IOException failed) {
            String why = failed.getMessage();
            latest = new Reading(
                    before,
                    page + " cannot be read: "
                            + (why == null ? failed.getClass().getSimpleName() : why) + ".");
        }
    }

    @Override
    public Reading latest() {
        return latest;
    }

    @Override
    public void close() {
        thread.interrupt();
        client.shutdownNow();
    }
}
