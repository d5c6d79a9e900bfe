package dev.laneway.dashboard;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who may ask for what: the name in the Host header, the token, and how often. Thread-safe.
 *
 * <p>A page of another site whose name is made to lead here (DNS rebinding) sends that name as its host. So only
 * addresses, localhost and the names that the user has allowed are answered.
 */
final class Access {
    private static final double REQUESTS = 60;
    private static final double REQUESTS_PER_SECOND = 30;
    private static final double TRIES = 10;
    private static final double TRIES_PER_SECOND = 0.2;
    private static final int MOST_ADDRESSES = 1_000;
    private static final int TOKEN_BYTES = 18;
    private static final int LEAST_TOKEN = 16;
    private static final Pattern ADDRESS = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-f:.]+]");
    private static final Pattern PORT = Pattern.compile(":[0-9]{1,5}$");
    private static final String BEARER = "Bearer ";

    private final Set<String> hosts;
    private final byte[] token;
    private final Map<String, Bucket> requests = buckets();
    private final Map<String, Bucket> tries = buckets();

    /** Tokens that come back by time. */
    private static final class Bucket {
        double left;
        long atNanos;

        Bucket(double full, long nowNanos) {
            left = full;
            atNanos = nowNanos;
        }

        void fill(double full, double perSecond, long nowNanos) {
            left = Math.min(full, left + (nowNanos - atNanos) / 1e9 * perSecond);
            atNanos = nowNanos;
        }
    }

    Access(Set<String> hosts, String token) {
        this.hosts = Set.copyOf(hosts);
        this.token = digest(token);
    }

    /** Refuses a token that can be guessed. */
    static String checked(String token) {
        if (token.length() < LEAST_TOKEN || !token.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException("the token has " + token.length()
                    + " characters but must have at least " + LEAST_TOKEN
                    + ", printable ones of ASCII without spaces: leave it out to have one made");
        }
        return token;
    }

    static String newToken() {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    private static Map<String, Bucket> buckets() {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
                return size() > MOST_ADDRESSES;
            }
        };
    }

    boolean isHost(@Nullable String header) {
        if (header == null) {
            return false;
        }
        String host = PORT.matcher(header.toLowerCase(Locale.ROOT)).replaceFirst("");
        return host.equals("localhost") || ADDRESS.matcher(host).matches() || hosts.contains(host);
    }

    /** Whether a request comes from our own page, or from no page at all. */
    static boolean isOwnOrigin(@Nullable String origin, @Nullable String host, @Nullable String site) {
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            return false;
        }
        return origin == null
                || (host != null && (origin.equals("http://" + host) || origin.equals("https://" + host)));
    }

    /** Whether this address has not asked too often. */
    boolean mayAsk(String address, long nowNanos) {
        return take(requests, address, REQUESTS, REQUESTS_PER_SECOND, nowNanos);
    }

    /** Whether this address has not tried too many wrong tokens. */
    boolean mayTry(String address, long nowNanos) {
        synchronized (tries) {
            Bucket bucket = tries.get(address);
            if (bucket == null) {
                return true;
            }
            bucket.fill(TRIES, TRIES_PER_SECOND, nowNanos);
            return bucket.left >= 1;
        }
    }

    /** A header {@code Authorization: Bearer TOKEN}; a wrong one is counted. */
    boolean isAuthorised(@Nullable String authorization, String address, long nowNanos) {
        if (authorization == null || !authorization.startsWith(BEARER)) {
            return false;
        }
        // Digests are of one length, and compared in the same time wherever they differ.
        boolean right = MessageDigest.isEqual(token, digest(authorization.substring(BEARER.length())));
        if (!right) {
            take(tries, address, TRIES, TRIES_PER_SECOND, nowNanos);
        }
        return right;
    }

    private static boolean take(
            Map<String, Bucket> buckets, String address, double full, double perSecond, long nowNanos) {
        synchronized (buckets) {
            Bucket bucket = buckets.computeIfAbsent(address, _ -> new Bucket(full, nowNanos));
            bucket.fill(full, perSecond, nowNanos);
            if (bucket.left < 1) {
                return false;
            }
            bucket.left--;
            return true;
        }
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible); // Every JDK has it.
        }
    }
}
