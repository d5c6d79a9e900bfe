package dev.laneway.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the launcher builds, and when, in a checkout where Maven and java are scripts: this Maven writes into the jars
 * that are there, as the real one does.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // Reading what a process says has no limit.
@DisplayName("The launcher's builds")
class LauncherBuildTest {
    private static final String OLD = "the jar that a program runs from";
    private static final String NEW = "the jar of the next build";

    @TempDir
    private Path checkout;

    private Path jar;
    private Path source;

    @BeforeEach
    void checkOut() throws IOException {
        jar = checkout.resolve("assign/target/laneway-assignors-1.jar");
        source = checkout.resolve("assign/src/main/Assignor.java");
        write("laneway", Files.readString(Path.of("..").resolve("laneway")));
        write("docs/help/demo.txt", "");
        write("pom.xml", "");
        for (String module : new String[] {"cli", "assign"}) {
            write(module + "/pom.xml", "");
            write(module + "/src/main/package-info.java", "");
            write(module + "/target/classes/module-info.class", "");
        }
        write("assign/src/main/Assignor.java", "");
        write("cli/target/laneway-cli-1.jar", "");
        write(
                "cli/target/classpath",
                "/elsewhere/kafka-clients.jar:" + checkout.toRealPath().resolve(checkout.relativize(jar)));
        Files.writeString(jar, OLD);
        program("bin/mvn", "echo mvn >>called; printf '" + NEW + "' >assign/target/laneway-assignors-1.jar");
        program("jdk/bin/java", "echo java >>called");
        write("jdk/release", "JAVA_VERSION=\"25\"\n");
    }

    @Test
    @DisplayName("leave programs that run the jars that they have open")
    void leavesJars() throws Exception {
        try (InputStream open = Files.newInputStream(jar)) {
            assertThat(launch()).isEqualTo("mvn\njava\n");
            assertThat(read(open)).isEqualTo(OLD);
        }
        assertThat(jar).hasContent(NEW);
    }

    @Test
    @DisplayName("are made again when a module has changed that the verb's own needs, of whatever depth")
    void follows() throws Exception {
        launch();
        assertThat(launch()).isEqualTo("java\n");

        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
        assertThat(launch()).isEqualTo("mvn\njava\n");
    }

    @Test
    @DisplayName("are waited for by a launcher that has nothing to build")
    void waits() throws Exception {
        launch();
        Process other = start("flock", "target/launcher.lock", "sh", "-c", "echo held; read end; echo built >>called");
        try {
            assertThat(other.inputReader().readLine()).isEqualTo("held");
            Process waiting = start("bash", "laneway", "demo");
            assertThat(waiting.errorReader().readLine())
                    .isEqualTo("laneway: waiting for another launcher, which builds");
            other.outputWriter().close();
            assertThat(waiting.waitFor()).isZero();
        } finally {
            other.destroy();
            other.waitFor();
        }
        assertThat(called()).isEqualTo("built\njava\n");
    }

    /** Runs a verb; what it has called. */
    private String launch() throws IOException, InterruptedException {
        Process launcher = start("bash", "laneway", "demo");
        assertThat(launcher.waitFor()).as(read(launcher.getErrorStream())).isZero();
        return called();
    }

    private static String read(InputStream stream) throws IOException {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }

    private String called() throws IOException {
        Path called = checkout.resolve("called");
        String lines = Files.readString(called);
        Files.delete(called);
        return lines;
    }

    private Process start(String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(checkout.toFile());
        Map<String, String> environment = builder.environment();
        environment.remove("JAVA_HOME");
        environment.put("JAVA25_HOME", checkout.resolve("jdk").toString());
        environment.put("PATH", checkout.resolve("bin") + ":" + environment.get("PATH"));
        return builder.start();
    }

    private void program(String name, String script) throws IOException {
        Path program = write(name, "#!/bin/sh\n" + script + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private Path write(String name, String content) throws IOException {
        Path file = checkout.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }
}
