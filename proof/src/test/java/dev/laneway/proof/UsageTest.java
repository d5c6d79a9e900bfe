package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class UsageTest {
    @ParameterizedTest
    @ValueSource(strings = {"chaos", "soak"})
    @DisplayName("Every verb's help has an example, the exit codes, and ends with 0")
    void helps(String verb) {
        Cli cli = Cli.run(verb, "--help");
        assertThat(cli.code()).isZero();
        assertThat(cli.err()).isEmpty();
        assertThat(cli.out()).contains("Example: laneway " + verb, "Exit codes: 0", "--json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"chaos", "soak"})
    @DisplayName("The help of every verb tells each option's meaning and default")
    void optionsAreExplained(String verb) {
        CommandLine command = Main.commandLine(new Verb.Streams(System.out, System.err, new Stop()))
                .getSubcommands()
                .get(verb);
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                String text = String.join(" ", option.description());
                assertThat(text).as(option.longestName()).isNotBlank();
                if (option.defaultValue() != null) {
                    assertThat(text).as(option.longestName()).contains(option.defaultValue());
                }
            }
        }
    }

    @Test
    @DisplayName("The help without a verb names what people call, and not what chaos starts")
    void helpsWithoutVerb() {
        Cli cli = Cli.run("--help");
        assertThat(cli.code()).isZero();
        assertThat(cli.out()).doesNotContain("node ", "member ").contains("chaos", "soak");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "chaos --minutes 0       | --minutes is 0.0 but must be above 0, at most 10000: 2 is a usual length",
                "chaos --brokers 6       | --brokers is 6 but must be at most 5: lower it",
                "chaos --members 1       | --members is 1 but must be at least 2: raise it",
                "chaos --every 0         | --every is 0 but must be longer than zero: give a duration",
                "chaos --brokers 1 --move-leaders | --move-leaders is given but must not be with one broker, which"
                        + " leads all: raise",
                "chaos --share --exactly-once | --share is given but must not be with --exactly-once: share groups have"
                        + " no transactions",
                "chaos --hour --minutes 3 | --hour is given but must not be with --minutes, --exactly-once, --share or",
                "chaos --hour --share    | --hour is given but must not be with --minutes, --exactly-once, --share or",
                "chaos --hour --fill-disk | --hour is given but must not be with --minutes, --exactly-once, --share or",
                "chaos --seed x          | --seed is x but must be a whole number: write digits only",
                "chaos --directory .     | --directory is . but must not exist yet: give another path",
                "soak --minutes 0.1      | --minutes is 0.1 but must be from 0.5 to 100000: 30 is a usual length",
                "soak --keys 0           | --keys is 0 but must be at least 1: raise it"
            })
    @DisplayName("B52 A wrong command line ends with 2 and one sentence: option, value, rule, remedy")
    void refuses(String line, String message) {
        Cli cli = Cli.run(line.split(" "));
        assertThat(cli.err()).startsWith("laneway: " + message).doesNotContain("\tat ");
        assertThat(cli.code()).isEqualTo(Program.USAGE);
        assertThat(cli.out()).isEmpty();
    }
}
