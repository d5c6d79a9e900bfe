package dev.laneway.cli.program;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The texts of docs/help, which the launcher shows without starting a JVM: what each verb says with --help. */
public final class HelpTexts {
    private static final int WIDE = 80;
    private static final int NARROW = 60;

    private HelpTexts() {}

    /**
     * Writes those of all verbs, for 80 columns and, in a folder of its own, for 60.
     *
     * @return the names of those that are not the same in the other folder
     */
    public static List<String> write(CommandLine program, Path written, Path kept) {
        Map<String, String> texts = new LinkedHashMap<>();
        verbs(program).forEach((name, verb) -> {
            texts.put(name + ".txt", verb.setUsageHelpWidth(WIDE).getUsageMessage(Ansi.OFF));
            texts.put(
                    NARROW + "/" + name + ".txt", verb.setUsageHelpWidth(NARROW).getUsageMessage(Ansi.OFF));
        });
        texts.forEach((name, text) -> write(written.resolve(name), text));
        return texts.entrySet().stream()
                .filter(text -> !text.getValue().equals(read(kept.resolve(text.getKey()))))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, text);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** By the names of their files: those of a verb's own verbs have both names. */
    private static Map<String, CommandLine> verbs(CommandLine program) {
        Map<String, CommandLine> verbs = new LinkedHashMap<>();
        program.getSubcommands().forEach((name, verb) -> {
            if (!verb.getCommandSpec().usageMessage().hidden()) {
                verbs.put(name, verb);
                verb.getSubcommands().forEach((own, of) -> verbs.put(name + "-" + own, of));
            }
        });
        return verbs;
    }
}
