package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.workload.Simulated;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LogLevelsTest {
    @Test
    @DisplayName("Verbs and all that they run log warnings and errors, to standard error, and nothing else")
    void quiet() throws IOException {
        Properties settings = new Properties();
        try (InputStream file = LogLevelsTest.class.getResourceAsStream("/simplelogger.properties")) {
            settings.load(file);
        }
        String prefix = "org.slf4j.simpleLogger.";
        assertThat(settings)
                .containsEntry(prefix + "logFile", "System.err")
                .containsEntry(prefix + "defaultLogLevel", "warn");
        assertThat(settings.stringPropertyNames().stream()
                        .filter(name -> name.startsWith(prefix + "log."))
                        .map(settings::getProperty))
                .isNotEmpty()
                .isSubsetOf("warn", "error", "off");
        assertThat(settings.stringPropertyNames().stream()
                        .filter(name -> name.startsWith(prefix + "log.dev.laneway.engine."))
                        .map(name -> name.substring((prefix + "log.").length())))
                .isNotEmpty()
                .allSatisfy(Class::forName);
    }

    @Test
    @DisplayName("Failures that were ordered are not logged: the class that would log them is there")
    void orderedFailures() throws ReflectiveOperationException {
        Class<?> logs = Class.forName(Simulated.LOGS_FAILURES, false, LogLevelsTest.class.getClassLoader());
        assertThat(logs.getDeclaredField("log").getType()).isEqualTo(Logger.class);
    }
}
