package dev.laneway.ops.observe;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Reads the kernel's small text files. What is not there, or may not be read, is empty. */
final class SmallFiles {
    private static final int MOST_BYTES = 8 << 20; // A process with 50,000 mappings.

    private SmallFiles() {}

    static String text(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8).strip();
        } catch (IOException | RuntimeException unreadable) {
            return "";
        }
    }

    static List<String> lines(Path file) {
        return text(file).lines().toList();
    }

    /** Lines of a word and a number, such as {@code anon 4096} or {@code read_bytes: 4096}. */
    static Map<String, Long> numbers(Path file) {
        Map<String, Long> numbers = new HashMap<>();
        for (String line : lines(file)) {
            String[] words = line.split("[: ]+", -1);
            if (words.length == 2) {
                number(words[1]).ifPresent(value -> numbers.put(words[0], value));
            }
        }
        return numbers;
    }

    static OptionalLong number(Path file) {
        return number(text(file));
    }

    /** Empty for {@code max} and anything else that is no number. */
    static OptionalLong number(String word) {
        try {
            return OptionalLong.of(Long.parseLong(word));
        } catch (NumberFormatException none) {
            return OptionalLong.empty();
        }
    }
}
