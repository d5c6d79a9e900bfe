package dev.laneway.examples;

import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the tests of the examples share: one broker per JVM, and the files of the repository. */
final class Shared {
    private Shared() {}

    static Cluster cluster() {
        return Cluster.from(bootstrap());
    }

    static String[] bootstrap() {
        return new String[] {"--bootstrap", EmbeddedKafka.shared().bootstrapServers()};
    }

    /** The repository's root: the nearest folder above that holds the launcher's licence and this module. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("examples")) || !Files.isDirectory(folder.resolve("core"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("the tests run outside the repository");
            }
        }
        return folder;
    }

    static String read(String file) {
        try {
            return Files.readString(root().resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
