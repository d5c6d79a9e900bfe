package dev.laneway.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files in a broker's directory that tell how the broker ended.
 *
 * <p>A broker that shuts down writes a marker and its latest checkpoints; one that crashes does not, and its next start
 * recovers its logs. These files are therefore read at the moment of a kill, and put back once the broker's threads are
 * gone: the next start then sees a crash.
 */
final class CrashFiles {

    /** Names as in Kafka's CleanShutdownFileHandler, LogManager, LogCleanerManager and ReplicaManager. */
    private static final List<String> NAMES = List.of(
            ".kafka_cleanshutdown",
            "recovery-point-offset-checkpoint",
            "log-start-offset-checkpoint",
            "cleaner-offset-checkpoint",
            "replication-offset-checkpoint");

    private final Path directory;
    private final Map<String, Optional<byte[]>> contents;

    private CrashFiles(Path directory, Map<String, Optional<byte[]>> contents) {
        this.directory = directory;
        this.contents = contents;
    }

    static CrashFiles read(Path directory) throws IOException {
        Map<String, Optional<byte[]>> contents = new HashMap<>();
        for (String name : NAMES) {
            Path file = directory.resolve(name);
            contents.put(name, Files.exists(file) ? Optional.of(Files.readAllBytes(file)) : Optional.empty());
        }
        return new CrashFiles(directory, contents);
    }

    void restore() throws IOException {
        for (String name : NAMES) {
            Path file = directory.resolve(name);
            Optional<byte[]> content = contents.getOrDefault(name, Optional.empty());
            if (content.isPresent()) {
                Files.write(file, content.get());
            } else {
                Files.deleteIfExists(file);
            }
        }
    }
}
