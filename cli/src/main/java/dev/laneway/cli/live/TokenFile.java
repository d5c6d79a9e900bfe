package dev.laneway.cli.live;

import dev.laneway.ConfigurationException;
import dev.laneway.dashboard.Dashboard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tokens in files, which stand in no list of processes. The token itself stands in no message. */
final class TokenFile {
    private TokenFile() {}

    /** @throws ConfigurationException if it cannot be read, or can be guessed */
    static String read(String option, Path file) {
        try {
            String token = Files.readString(file).strip();
            Dashboard.checkToken(token);
            return token;
        } catch (IllegalArgumentException weak) {
            throw new ConfigurationException(
                    option, file, String.valueOf(weak.getMessage()), "make one with openssl rand -hex 16");
        } catch (IOException unreadable) {
            throw new ConfigurationException(
                    option, file, "must be a file that can be read", "check its path and rights");
        }
    }
}
