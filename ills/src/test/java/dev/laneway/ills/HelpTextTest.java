package dev.laneway.ills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The texts of docs/help, which the launcher shows without starting a JVM. */
class HelpTextTest {
    private static final Path KEPT = Path.of("..", "docs", "help");
    private static final Path WRITTEN = Path.of("target", "help");

    @Test
    @DisplayName("docs/help says of every verb what the verb says, for 80 columns and for 60")
    void agree() throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        verbs().forEach((name, verb) -> {
            texts.put(name + ".txt", verb.setUsageHelpWidth(80).getUsageMessage(Ansi.OFF));
            texts.put("60/" + name + ".txt", verb.setUsageHelpWidth(60).getUsageMessage(Ansi.OFF));
        });
        for (Map.Entry<String, String> text : texts.entrySet()) {
            Path written = WRITTEN.resolve(text.getKey());
            Files.createDirectories(written.getParent());
            Files.writeString(written, text.getValue());
        }
        for (Map.Entry<String, String> text : texts.entrySet()) {
            Path kept = KEPT.resolve(text.getKey());
            assertThat(Files.exists(kept) ? Files.readString(kept) : "")
                    .as(text.getKey() + "; to take over what all verbs say: cp -r ills/target/help/. docs/help")
                    .isEqualTo(text.getValue());
        }
    }

    /** By the names of their files: those of a verb's own verbs have both names. */
    private static Map<String, CommandLine> verbs() {
        Map<String, CommandLine> verbs = new LinkedHashMap<>();
        Main.commandLine(new Verb.Streams(System.out, System.err, new Stop()))
                .getSubcommands()
                .forEach((name, verb) -> {
                    if (!verb.getCommandSpec().usageMessage().hidden()) {
                        verbs.put(name, verb);
                        verb.getSubcommands().forEach((own, of) -> verbs.put(name + "-" + own, of));
                    }
                });
        return verbs;
    }
}
