package dev.laneway.ills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Program;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageTest {
    @Test
    @DisplayName("ill --list names every illness, its sentence and the right verdict")
    void lists() {
        Cli cli = Cli.run("ill", "--list");
        assertThat(cli.code()).isZero();
        assertThat(cli.err()).isEmpty();
        assertThat(Illnesses.all())
                .allSatisfy(illness -> assertThat(cli.out())
                        .contains(
                                illness.name(),
                                illness.sentence(),
                                "right: " + illness.cause().words()));
    }

    @Test
    @DisplayName("The help has an example, the exit codes, and ends with 0")
    void helps() {
        Cli cli = Cli.run("ill", "--help");
        assertThat(cli.code()).isZero();
        assertThat(cli.err()).isEmpty();
        assertThat(cli.out()).contains("Example: laneway ill", "Exit codes: 0", "--json");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ill                      | NAME is not given but must be one of stuck-member, stuck-key,"
                        + " poison-record,",
                "ill flu                  | NAME is flu but must be one of stuck-member, stuck-key, poison-record,",
                "ill Stuck-Member         | NAME is Stuck-Member but must be one of stuck-member,",
                "ill stuck-key --strength a-bit | --strength is a-bit but must be one of mild, severe, healthy: take",
                "ill stuck-key --for 0    | --for is 0 but must be longer than zero: give a duration",
                "ill stuck-key --for soon | --for is soon but must be",
                "ill --list stuck-key     | --list is given but must not be with a name: leave one of them out",
                "ill stuck-key --replay . | --replay is given but needs --check or --all: give one of them",
                "ill --all --replay none  | --replay is none but must be a directory that exists: give one",
                "ill stuck-key hot-key    | Unmatched argument at index 2: 'hot-key'"
            })
    @DisplayName("B52 A wrong command line ends with 2 and one sentence: option, value, rule, remedy")
    void refuses(String line, String message) {
        Cli cli = Cli.run(line.split(" "));
        assertThat(cli.err()).startsWith("laneway: " + message).doesNotContain("\tat ");
        assertThat(cli.code()).isEqualTo(Program.USAGE);
        assertThat(cli.out()).isEmpty();
    }
}
