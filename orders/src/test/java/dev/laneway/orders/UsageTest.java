package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Program;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "orders run --threads 0        | --threads is 0 but must be at least 1: raise it",
                "orders run --application-id a/b | --application-id is a/b but must be of letters, digits, dots,",
                "orders run --block-cache 8 --write-buffers 9 | --write-buffers is 9 but must be at most --block-cache",
                "orders run --service soon     | --service is soon but must be a number and a unit",
                "orders run --for 0            | --for is 0 but must be longer than zero",
                "orders run --forget-after 0   | --forget-after is 0 but must be longer than zero",
                "orders run --state-dir pom.xml/x | --state-dir is pom.xml/x but must be a directory",
                "orders run-laneway --concurrency 0 | --concurrency is 0 but must be at least 1: raise it",
                "orders run-laneway --application-id a/b | --application-id is a/b but must be of letters, digits,",
                "orders run-laneway --forget-after 0 | --forget-after is 0 but must be longer than zero",
                "orders run-laneway --property group.id=x | --property is group.id but must not be given",
                "orders generate --rate -1     | --rate is -1.0 but must be at least 0.0",
                "orders generate --rates 5     | --rates is 5 but must be times with rates: write it like",
                "orders generate --rates x@5   | --rates is x@5 but has a time that is none",
                "orders generate --rates 1m@x  | --rates is 1m@x but has a rate that is none",
                "orders generate --late 0.6    | --late is 0.6 but must be from 0 to 0.5",
                "orders generate --in-flight 0 | --in-flight is 0 but must be at least 1",
            })
    @DisplayName("B52 A wrong command line ends with 2 and one sentence: option, value, rule, remedy")
    void refuses(String line, String message) {
        Cli cli = Cli.run(line.split(" "));
        assertThat(cli.err()).startsWith("laneway: " + message).doesNotContain("\tat ");
        assertThat(cli.code()).isEqualTo(Program.USAGE);
        assertThat(cli.out()).isEmpty();
    }

    @Test
    @DisplayName("B181 without a broker both verbs fail within the limit, in one sentence")
    void noBroker() {
        for (String verb : new String[] {"run", "run-laneway", "generate"}) {
            Cli cli = Cli.run("orders", verb, "--bootstrap", "localhost:1", "--broker-limit", "2s");
            assertThat(cli.code()).isEqualTo(Program.FAILED);
            assertThat(cli.err()).contains("laneway: ", "localhost:1").doesNotContain("\tat ");
        }
    }
}
