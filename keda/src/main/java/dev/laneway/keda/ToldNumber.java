package dev.laneway.keda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The number that was told last, in a file: a scaler that is started again tells it again. The decision log does not
 * have it, since the policy gives up members that do not come. Used by one thread.
 */
final class ToldNumber {
    private static final int MOST = 1_000_000;

    private final Path file;
    private final Consumer<String> trouble;
    private @Nullable Integer written;

    /** @param trouble told in a sentence if the number cannot be written */
    ToldNumber(Path file, Consumer<String> trouble) {
        this.file = file;
        this.trouble = trouble;
    }

    /** What the file has; null if there is none, or it is damaged. */
    @Nullable
    Integer read() {
        try {
            int number =
                    Files.exists(file) ? Integer.parseInt(Files.readString(file).strip()) : 0;
            return number < 1 || number > MOST ? null : (Integer) number;
        } catch (IOException | NumberFormatException damaged) {
            return null;
        }
    }

    void write(int number) {
        if (written != null && written == number) {
            return;
        }
        Path whole = Path.of(file + ".new");
        try {
            Files.writeString(whole, number + "\n");
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failed) {
            trouble.accept("cannot write " + file + " (" + failed + "): after a restart " + number
                    + " members are not told again");
        }
        written = number;
    }
}
