package dev.laneway.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.storage.Formatter;
import org.jspecify.annotations.Nullable;

/**
 * The directories of an embedded cluster: {@code controller} and one {@code node-N} for each broker, each formatted as
 * {@code kafka-storage.sh format} does it. A directory that holds a cluster already is used again.
 */
final class Storage {

    private static final String CONTROLLER = "controller";
    private static final String NODE = "node-";

    private final Path root;
    private final boolean temporary;
    private final String clusterId;

    private Storage(Path root, boolean temporary, String clusterId) {
        this.root = root;
        this.temporary = temporary;
        this.clusterId = clusterId;
    }

    /** Opens and formats the user's directory, or a temporary one when there is none. */
    static Storage open(@Nullable Path directory, int nodes) {
        try {
            Storage storage = directory == null ? temporary() : at(directory, nodes);
            storage.format(ServerProperties.CONTROLLER_ID, storage.controller());
            for (int id = 1; id <= nodes; id++) {
                storage.format(id, storage.node(id));
            }
            return storage;
        } catch (IOException e) {
            String used = directory == null ? "for temporary files" : directory.toString();
            throw new UncheckedIOException("directory " + used + " of the embedded cluster cannot be used", e);
        }
    }

    private static Storage temporary() throws IOException {
        return new Storage(
                Files.createTempDirectory("laneway-kafka-"),
                true,
                Uuid.randomUuid().toString());
    }

    private static Storage at(Path directory, int nodes) throws IOException {
        Path root = Files.createDirectories(directory).toAbsolutePath();
        Path controller = root.resolve(CONTROLLER);
        if (!Files.exists(controller)) {
            return new Storage(root, false, Uuid.randomUuid().toString());
        }
        long found = nodesIn(root);
        if (found != nodes) {
            throw new IllegalArgumentException("nodes(" + nodes + "): the directory " + root + " holds a cluster of "
                    + found + " nodes; give nodes(" + found + ") or another directory");
        }
        return new Storage(root, false, clusterIdIn(controller));
    }

    private static long nodesIn(Path root) throws IOException {
        try (Stream<Path> entries = Files.list(root)) {
            return entries.filter(entry -> entry.getFileName().toString().startsWith(NODE))
                    .count();
        }
    }

    private static String clusterIdIn(Path controller) throws IOException {
        MetaPropertiesEnsemble found = new MetaPropertiesEnsemble.Loader()
                .addLogDirs(List.of(controller.toString()))
                .addMetadataLogDir(controller.toString())
                .load();
        return found.clusterId().orElseGet(() -> Uuid.randomUuid().toString());
    }

    /** Kafka's formatter prints to standard output, which a library must not. */
    private void format(int id, Path directory) {
        try {
            new Formatter()
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                    .setClusterId(clusterId)
                    .setNodeId(id)
                    .addDirectory(directory.toString())
                    .setMetadataLogDirectory(directory.toString())
                    .setControllerListenerName(ServerProperties.CONTROLLER_LISTENER)
                    .setIgnoreFormatted(true)
                    .run();
        } catch (Exception e) {
            throw new IllegalStateException(
                    "directory " + directory + " cannot be formatted for node " + id + ": " + e.getMessage(), e);
        }
    }

    Path root() {
        return root;
    }

    boolean isTemporary() {
        return temporary;
    }

    String clusterId() {
        return clusterId;
    }

    Path controller() {
        return root.resolve(CONTROLLER);
    }

    Path node(int id) {
        return root.resolve(NODE + id);
    }

    /** Deletes the directory if it is a temporary one. */
    void close() {
        if (!temporary) {
            return;
        }
        try (Stream<Path> entries = Files.walk(root)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        } catch (NoSuchFileException e) {
            // It was already deleted.
        } catch (IOException e) {
            throw new UncheckedIOException("temporary directory " + root + " could not be deleted", e);
        }
    }
}
