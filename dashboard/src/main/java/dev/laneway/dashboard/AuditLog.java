package dev.laneway.dashboard;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who did what when: lines of JSON, only ever appended, each on the disk before the action begins. Thread-safe. */
final class AuditLog implements AutoCloseable {
    private final FileChannel file;

    /** @throws IOException if it cannot be appended to */
    AuditLog(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /**
     * @param result {@code begun}, {@code done}, or why it was refused or failed
     * @throws IOException if it could not be written; the action must not be done then
     */
    synchronized void write(long atMillis, String from, String action, List<String> partitions, String result)
            throws IOException {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("at", Instant.ofEpochMilli(atMillis).toString());
        line.put("from", from);
        line.put("action", action);
        line.put("partitions", partitions);
        line.put("result", result);
        ByteBuffer bytes = ByteBuffer.wrap(
                (new String(PageJson.bytes(line), StandardCharsets.UTF_8) + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
