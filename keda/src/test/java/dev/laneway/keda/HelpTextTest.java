package dev.laneway.keda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.HelpTexts;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HelpTextTest {
    @Test
    @DisplayName("docs/help says of every verb what the verb says, for 80 columns and for 60")
    void agree() {
        Verb.Streams streams = new Verb.Streams(System.out, System.err, new Stop());
        assertThat(HelpTexts.write(Main.commandLine(streams), Path.of("target", "help"), Path.of("..", "docs", "help")))
                .as("texts that differ; to take over what all verbs say: cp -r keda/target/help/. docs/help")
                .isEmpty();
    }
}
