package dev.laneway.engine.offsets;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Names a key in commit metadata: the first 64 bits of SHA-256, most significant bit first. There is no seed, since
 * every owner of a partition must find the same hash, and so must later releases. Stateless, thread-safe, without a
 * lock.
 */
public final class KeyHash {
    private static final byte NULL = 0;
    private static final byte BYTES = 1;

    private KeyHash() {}

    /**
     * Hashes a byte that tells a null key from an empty one, and then the key.
     *
     * @param key as serialised
     */
    public static long of(byte @Nullable [] key) {
        MessageDigest digest = sha256();
        if (key == null) {
            digest.update(NULL);
        } else {
            digest.update(BYTES);
            digest.update(key);
        }
        return ByteBuffer.wrap(digest.digest()).getLong();
    }

    /** Hashes bytes, and nothing before them. */
    static long plain(byte[] bytes) {
        return ByteBuffer.wrap(sha256().digest(bytes)).getLong();
    }

    /** A hash as people read it, and {@code offsets describe} shows it: 16 hexadecimal digits. */
    public static String text(long hash) {
        return HexFormat.of().toHexDigits(hash);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256, which every Java platform must have", e);
        }
    }
}
