package dev.laneway.engine.offsets;

import dev.laneway.BrokerException;
import dev.laneway.MetadataPolicy;
import dev.laneway.engine.offsets.DecodedMetadata.Foreign;
import dev.laneway.engine.offsets.DecodedMetadata.Map;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.BufferSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metadata that others left beside a committed offset: Confluent Parallel Consumer's maps are read, so that its users
 * can switch in place; Kafka Streams' and everything else is told apart. Stateless, thread-safe.
 *
 * <h2>Implementation note</h2>
 *
 * <p>Both write Base64 of a first byte that tells the kind, and a payload in big-endian order. Parallel Consumer's
 * (checked against 0.5.3.2) counts from the committed offset up to the highest one that succeeded:
 *
 * <pre>
 *   first byte    payload                                               + zstd
 *   'l' bitset    length in bits as int16, bits, a byte of zeros         'a'
 *   'o' bitset    length in bits as int32, bits, a byte of zeros         's'
 *   'n' runs      int16 each: incomplete, complete, incomplete, ...      'J'
 *   'e' runs      int32 each                                             'p'
 *   'L', 0xEE     a byte per offset; its own reader refuses it
 *   1, 2          Kafka Streams: int64 partition time; from version 2 on, processor metadata follows
 * </pre>
 *
 * <p>In a bitset a set bit means complete, the least significant bit of a byte comes first. There is no checksum, so a
 * text that happens to be Base64 may look like a map: "bm9kZTE=" ("node1") would say that 25,905 records are done. So
 * printable text is refused, and of the rest only what the writer can have meant is taken: the committed offset is
 * incomplete, the last one is complete, nothing is left over. Refusing a map repeats records; believing a wrong one
 * would lose them.
 */
public final class ForeignMetadata {
    private static final Logger log = LoggerFactory.getLogger(ForeignMetadata.class);

    /** A map of Parallel Consumer is taken apart up to this many bytes; as a bitset, 8 million offsets. */
    private static final int MAX_PAYLOAD = 1 << 20;

    /** And up to this many runs: about ten times what fits into Kafka's default limit. */
    private static final int MAX_RUNS = 1 << 18;

    private static final int STREAMS_LENGTH = 1 + Long.BYTES;

    /** The only record format that knows zstd. */
    private static final byte RECORD_FORMAT = 2;

    private static final int ZSTD_MAGIC = 0xFD2FB528;
    private static final int ZSTD_SINGLE_SEGMENT = 0x20;

    /** The decoder allocates the window that a frame asks for; the writer's level asks for 2 MiB. */
    private static final int MAX_ZSTD_WINDOW_LOG = 23;

    private ForeignMetadata() {}

    /**
     * Reads metadata that Laneway has not written. Never throws.
     *
     * @param base the committed offset it stood beside
     * @param metadata not empty
     */
    static DecodedMetadata read(long base, String metadata) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(metadata);
        } catch (IllegalArgumentException e) {
            return new Foreign(Foreign.Kind.JUNK, metadata.length() + " characters of no known writer");
        }
        if (isText(bytes)) {
            return new Foreign(Foreign.Kind.JUNK, "Base64 of " + bytes.length + " characters of text");
        }
        ByteBuffer payload = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
        return switch (bytes[0]) {
            case 1 -> streams(bytes.length == STREAMS_LENGTH);
            case 2 -> streams(bytes.length >= STREAMS_LENGTH);
            case 'l' -> bitset(base, Short.BYTES, payload);
            case 'o' -> bitset(base, Integer.BYTES, payload);
            case 'n' -> runs(base, Short.BYTES, payload);
            case 'e' -> runs(base, Integer.BYTES, payload);
            case 'a' -> unzstd(payload, unpacked -> bitset(base, Short.BYTES, unpacked));
            case 's' -> unzstd(payload, unpacked -> bitset(base, Integer.BYTES, unpacked));
            case 'J' -> unzstd(payload, unpacked -> runs(base, Short.BYTES, unpacked));
            case 'p' -> unzstd(payload, unpacked -> runs(base, Integer.BYTES, unpacked));
            case 'L', (byte) 0xEE -> unreadable("a byte per offset is a form that its own reader refuses");
            default -> new Foreign(Foreign.Kind.JUNK, "Base64 of no known writer, first byte " + bytes[0]);
        };
    }

    /** Every true map and Streams' metadata holds a zero byte or a byte beyond ASCII, but for runs no one meets. */
    private static boolean isText(byte[] bytes) {
        for (byte b : bytes) {
            if (b < ' ' || b > '~') {
                return false;
            }
        }
        return true;
    }

    private static DecodedMetadata streams(boolean plausible) {
        return plausible
                ? new Foreign(Foreign.Kind.KAFKA_STREAMS, "a Kafka Streams application committed here")
                : new Foreign(Foreign.Kind.JUNK, "Base64 of no known writer");
    }

    private static DecodedMetadata unreadable(String reason) {
        return new Foreign(Foreign.Kind.PARALLEL_CONSUMER_UNREADABLE, reason);
    }

    private static DecodedMetadata bitset(long base, int width, ByteBuffer payload) {
        if (payload.remaining() < width) {
            return unreadable("the bitset has no length");
        }
        int length = width == Short.BYTES ? payload.getShort() : payload.getInt();
        int expected = length / Byte.SIZE + (length % Byte.SIZE == 0 ? 0 : 1);
        if (length < 0 || payload.remaining() - expected < 0 || payload.remaining() - expected > 1) {
            return unreadable("a bitset of " + length + " bits stands in " + payload.remaining() + " bytes");
        }
        OffsetRuns edges = new OffsetRuns(base, MAX_RUNS);
        boolean complete = false;
        int run = 0;
        boolean valid = true;
        for (int i = 0; i < length && valid; i++) {
            boolean bit = (payload.get(payload.position() + i / Byte.SIZE) >>> i % Byte.SIZE & 1) == 1;
            if (bit != complete) {
                valid = edges.run(run);
                complete = bit;
                run = 0;
            }
            run++;
        }
        return result(edges, valid && (length == 0 || edges.run(run)));
    }

    private static DecodedMetadata runs(long base, int width, ByteBuffer payload) {
        if (payload.remaining() % width != 0 || !payload.hasRemaining()) {
            return unreadable("the run lengths are cut");
        }
        OffsetRuns edges = new OffsetRuns(base, MAX_RUNS);
        boolean valid = true;
        boolean nothing = payload.remaining() == width;
        while (payload.hasRemaining() && valid) {
            int length = width == Short.BYTES ? payload.getShort() : payload.getInt();
            valid = edges.run(length) || (nothing && length == 0);
        }
        return result(edges, valid);
    }

    private static DecodedMetadata result(OffsetRuns edges, boolean valid) {
        long[] found = valid ? edges.finish() : null;
        return found == null
                ? unreadable("it does not start with an incomplete offset and end with a complete one")
                : Map.of(Map.Origin.PARALLEL_CONSUMER, found);
    }

    /** Kafka's client brings zstd along; should somebody have excluded it, the map cannot be read. */
    private static DecodedMetadata unzstd(ByteBuffer frame, Function<ByteBuffer, DecodedMetadata> reader) {
        if (!isModestZstd(frame.slice().order(ByteOrder.LITTLE_ENDIAN))) {
            return unreadable("it is not a zstd frame as Parallel Consumer writes it");
        }
        byte[] unpacked;
        try (InputStream in =
                Compression.zstd().build().wrapForInput(frame.slice(), RECORD_FORMAT, BufferSupplier.NO_CACHING)) {
            unpacked = in.readNBytes(MAX_PAYLOAD + 1);
        } catch (IOException | RuntimeException | LinkageError e) {
            return unreadable("zstd failed: " + e);
        }
        return unpacked.length > MAX_PAYLOAD
                ? unreadable("it unpacks to more than " + MAX_PAYLOAD + " bytes")
                : reader.apply(ByteBuffer.wrap(unpacked));
    }

    /** Whether the header of a zstd frame (RFC 8878, 3.1.1) asks for a window of modest size. */
    private static boolean isModestZstd(ByteBuffer frame) {
        if (frame.remaining() < Integer.BYTES + 2 || frame.getInt() != ZSTD_MAGIC) {
            return false;
        }
        int descriptor = frame.get();
        int windowLog = 10 + ((frame.get() & 0xFF) >>> 3);
        return (descriptor & ZSTD_SINGLE_SEGMENT) == 0 && windowLog <= MAX_ZSTD_WINDOW_LOG;
    }

    /**
     * It is not Laneway's.
     *
     * @throws BrokerException when the policy does not let it be overwritten
     */
    public static void ignore(TopicPartition id, String what, MetadataPolicy policy) {
        if (policy == MetadataPolicy.FAIL_ON_FOREIGN) {
            throw new BrokerException(
                    "the commit metadata of " + id + " is not Laneway's (" + what
                            + ") and metadata is FAIL_ON_FOREIGN: use another "
                            + "group, or MetadataPolicy.READ to take the group over",
                    null);
        }
        log.warn(
                "the commit metadata of {} is not Laneway's and is ignored ({}); the next commit overwrites it",
                id,
                what);
    }
}
