package dev.laneway.ops;

import dev.laneway.ops.CommitMap.Run;
import dev.laneway.ops.CommitMetadata.Writer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.utils.BufferSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads metadata that Laneway has not written: Parallel Consumer and Kafka Streams write Base64 whose first byte tells
 * the form. Stateless.
 *
 * <p>Parallel Consumer's numbers are big-endian, and its maps have no checksum, so text that happens to be Base64 may
 * look like one. Only what its writer can have meant is taken, as when Laneway takes such a group over.
 */
final class Base64Metadata {
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_RUNS = 1 << 18;
    private static final int STREAMS_LENGTH = 1 + Long.BYTES;
    private static final byte RECORD_FORMAT = 2; // The first one that knows zstd.
    private static final int ZSTD_MAGIC = 0xFD2FB528;
    private static final int ZSTD_SINGLE_SEGMENT = 0x20;
    private static final int MOST_WINDOW_LOG = 23; // 8 MiB, which the decoder allocates before it reads.

    private Base64Metadata() {}

    /** Parallel Consumer's forms, by the names that it gives them. */
    private enum Form {
        BIT_SET('l', "BitSet", Short.BYTES),
        BIT_SET_COMPRESSED('a', "BitSetCompressed", Short.BYTES),
        BIT_SET_V2('o', "BitSetV2", Integer.BYTES),
        BIT_SET_V2_COMPRESSED('s', "BitSetV2Compressed", Integer.BYTES),
        RUN_LENGTH('n', "RunLength", Short.BYTES),
        RUN_LENGTH_COMPRESSED('J', "RunLengthCompressed", Short.BYTES),
        RUN_LENGTH_V2('e', "RunLengthV2", Integer.BYTES),
        RUN_LENGTH_V2_COMPRESSED('p', "RunLengthV2Compressed", Integer.BYTES),
        BYTE_ARRAY('L', "ByteArray", 0),
        BYTE_ARRAY_COMPRESSED(0xEE, "ByteArrayCompressed", 0);

        private final byte first;
        private final String title;
        private final int width;

        Form(int first, String title, int width) {
            this.first = (byte) first;
            this.title = title;
            this.width = width;
        }

        static @Nullable Form of(byte first) {
            for (Form form : values()) {
                if (form.first == first) {
                    return form;
                }
            }
            return null;
        }

        /** What is done beyond the offset. */
        List<Run> read(long offset, ByteBuffer payload) {
            return switch (this) {
                case BIT_SET, BIT_SET_V2 -> bits(offset, width, payload);
                case BIT_SET_COMPRESSED, BIT_SET_V2_COMPRESSED -> bits(offset, width, unpacked(payload));
                case RUN_LENGTH, RUN_LENGTH_V2 -> lengths(offset, width, payload);
                case RUN_LENGTH_COMPRESSED, RUN_LENGTH_V2_COMPRESSED -> lengths(offset, width, unpacked(payload));
                case BYTE_ARRAY, BYTE_ARRAY_COMPRESSED ->
                    throw new IllegalArgumentException("Parallel Consumer itself does not read the form " + title);
            };
        }
    }

    /** Reads metadata that is not empty. Throws nothing. */
    static CommitMetadata read(long offset, String metadata) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(metadata);
        } catch (IllegalArgumentException other) {
            return text(metadata);
        }
        if (isPrintable(bytes)) {
            return text(metadata);
        }
        if (isStreams(bytes)) {
            return new CommitMetadata(
                    Writer.KAFKA_STREAMS, null, metadata.length(), List.of(), "it is a time of Kafka Streams");
        }
        Form form = Form.of(bytes[0]);
        if (form == null) {
            return text(metadata);
        }
        try {
            List<Run> done = form.read(offset, ByteBuffer.wrap(bytes, 1, bytes.length - 1));
            return new CommitMetadata(Writer.PARALLEL_CONSUMER, form.title, metadata.length(), done, null);
        } catch (IllegalArgumentException wrong) {
            return new CommitMetadata(Writer.PARALLEL_CONSUMER, null, metadata.length(), List.of(), wrong.getMessage());
        }
    }

    private static CommitMetadata text(String metadata) {
        return new CommitMetadata(Writer.OTHER, null, metadata.length(), List.of(), "it is text of no known writer");
    }

    /** Maps, and what Kafka Streams writes, hold a zero byte or one beyond ASCII, but for runs that nobody meets. */
    private static boolean isPrintable(byte[] bytes) {
        for (byte each : bytes) {
            if (each < ' ' || each > '~') {
                return false;
            }
        }
        return true;
    }

    /** Version 1 is a time, from version 2 on more may follow. */
    private static boolean isStreams(byte[] bytes) {
        return (bytes[0] == 1 && bytes.length == STREAMS_LENGTH) || (bytes[0] == 2 && bytes.length >= STREAMS_LENGTH);
    }

    /** The number of bits, the bits (set where done, the lowest of a byte first), and perhaps a byte of zeros. */
    private static List<Run> bits(long offset, int width, ByteBuffer payload) {
        if (payload.remaining() < width) {
            throw new IllegalArgumentException("its length is missing");
        }
        int length = number(width, payload);
        int bytes = length / Byte.SIZE + (length % Byte.SIZE == 0 ? 0 : 1);
        int left = payload.remaining() - bytes;
        if (length < 0 || left < 0 || left > 1) {
            throw new IllegalArgumentException(
                    "it claims " + length + " bits and has " + payload.remaining() + " bytes of them");
        }
        DoneRuns runs = new DoneRuns(offset, MOST_RUNS);
        boolean isDone = false;
        int run = 0;
        for (int i = 0; i < length; i++) {
            boolean isSet = (payload.get(payload.position() + i / Byte.SIZE) >>> i % Byte.SIZE & 1) == 1;
            if (isSet != isDone) {
                runs.add(run);
                isDone = isSet;
                run = 0;
            }
            run++;
        }
        if (run > 0) {
            runs.add(run);
        }
        return runs.finish();
    }

    /** Lengths of undone and done runs in turn. A single zero stands for no offset at all. */
    private static List<Run> lengths(long offset, int width, ByteBuffer payload) {
        if (payload.remaining() % width != 0 || !payload.hasRemaining()) {
            throw new IllegalArgumentException("its last length is cut");
        }
        boolean isSingle = payload.remaining() == width;
        DoneRuns runs = new DoneRuns(offset, MOST_RUNS);
        while (payload.hasRemaining()) {
            int length = number(width, payload);
            if (!isSingle || length != 0) {
                runs.add(length);
            }
        }
        return runs.finish();
    }

    private static int number(int width, ByteBuffer payload) {
        return width == Short.BYTES ? payload.getShort() : payload.getInt();
    }

    /** Kafka's client brings zstd along; should somebody have excluded it, the map cannot be read. */
    private static ByteBuffer unpacked(ByteBuffer frame) {
        if (!isModest(frame.slice().order(ByteOrder.LITTLE_ENDIAN))) {
            throw new IllegalArgumentException("it is no zstd frame as Parallel Consumer writes it");
        }
        byte[] bytes;
        try (InputStream in =
                Compression.zstd().build().wrapForInput(frame.slice(), RECORD_FORMAT, BufferSupplier.NO_CACHING)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        } catch (IOException | RuntimeException | LinkageError failed) {
            throw new IllegalArgumentException("zstd cannot unpack it: " + failed.getMessage(), failed);
        }
        if (bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException("it unpacks to more than " + MOST_BYTES + " bytes");
        }
        return ByteBuffer.wrap(bytes);
    }

    /** Whether the header of a zstd frame (RFC 8878, 3.1.1) asks for a window of modest size. */
    private static boolean isModest(ByteBuffer frame) {
        if (frame.remaining() < Integer.BYTES + 2 || frame.getInt() != ZSTD_MAGIC) {
            return false;
        }
        int descriptor = frame.get();
        int windowLog = 10 + ((frame.get() & 0xFF) >>> 3);
        return (descriptor & ZSTD_SINGLE_SEGMENT) == 0 && windowLog <= MOST_WINDOW_LOG;
    }
}
