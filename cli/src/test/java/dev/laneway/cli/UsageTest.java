package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Durations;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;

class UsageTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "broker",
                "load",
                "consume",
                "offsets describe",
                "offsets reset",
                "autoscale run",
                "autoscale explain",
                "autoscale why-not",
                "autoscale replay",
                "autoscale compare"
            })
    @DisplayName("Every verb's help has an example, the exit codes, and ends with 0")
    void helps(String verb) {
        Cli cli = Cli.run((verb + " --help").split(" ", -1));
        assertThat(cli.code()).isZero();
        assertThat(cli.err()).isEmpty();
        assertThat(cli.out()).contains("Example: laneway " + verb, "Exit codes: 0", "--json");
    }

    @Test
    @DisplayName("The help without a verb names all verbs")
    void helpsWithoutVerb() {
        Cli cli = Cli.run("--help");
        assertThat(cli.code()).isZero();
        assertThat(cli.out()).contains("demo", "broker", "load", "consume", "offsets");
    }

    @Test
    @DisplayName("The version is that of the build")
    void saysItsVersion() {
        assertThat(Cli.run("--version").out()).matches("(?s)Laneway \\d+\\.\\d+\\..*Kafka clients \\d.*Java \\d.*");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "demo --work 10          | --work is 10 but must be a number and a unit: write it like",
                "demo --concurrency 0    | --concurrency is 0 but must be at least 1: raise it",
                "demo --concurrency many | --concurrency is many but must be a whole number: write digits only",
                "demo --consumers 2000   | --consumers is 2000 but must be at most 1000: lower it",
                "demo --ordering random  | --ordering is random but must be one of partition, key, unordered: take one",
                "demo --zipf -1          | --zipf is -1.0 but must be from 0 to 10: 1 is a usual skew",
                "demo --size 3           | --size is 3 but must be at least 16: raise it",
                "demo --kills 2          | --kills is 2 but is for members that are processes: give --exactly-once too",
                "demo --exactly-once --members 0 | --members is 0 but must be at least 1: raise it",
                "demo --keys 0           | --keys is 0 but must be at least 1: raise it",
                "demo --records 0        | --records is 0 but must be at least 1: raise it",
                "demo --sample 0         | --sample is 0 but must be longer than zero: give a duration",
                "broker --port 70000     | --port is 70000 but must be at most 65000: lower it",
                "broker --nodes 4        | --nodes is 4 but must be at most 3: lower it",
                "load                    | Missing required option: '--topic=TOPIC'",
                "load --topic a --rate 0 | --rate is 0 but must be at least 1: raise it",
                "load --topic a b        | Unmatched argument at index 3: 'b'",
                "load --tpoic a          | Missing required option: '--topic=TOPIC'",
                "consume --topic a --fail-rate 2     | --fail-rate is 2.0 but must be from 0 to 1: 0.01 is one in a"
                        + " hundred",
                "consume --topic a --fail-rate x     | --fail-rate is x but must be a number: write it like 0.5",
                "consume --topic a --to a            | --to is a but must not be a topic that is consumed",
                "consume --topic a --dead-letter a   | --dead-letter is a but must not be a topic that is consumed",
                "consume --topic a --retries -1      | --retries is -1 but must be at least 0: raise it",
                "consume --topic a --config no-file  | --config is no-file but must be a file that exists",
                "consume --topic a --property x      | --property is x but must be a name and a value: write it like",
                "consume --topic a --json no-dir/x   | --json is no-dir/x but must be in a directory that exists",
                "offsets                 | Missing required subcommand",
                "offsets describe       | Missing required option: '--group=GROUP'",
                "offsets describe --group g --top 0 | --top is 0 but must be at least 1: raise it",
                "offsets describe --group g --all | Unknown option: '--all'",
                "offsets reset --topic a --to latest | Missing required option: '--group=GROUP'",
                "offsets reset --group g --topic a --to soon | --to is soon but must be earliest, latest, a time such"
                        + " as",
                "offsets reset --group g --topic a,b --to 0:1 | --to is 0:1 but gives offsets of one topic, and"
                        + " --topic",
                "offsets reset --group g --topic a --to 0:1,0:2 | --to is 0:1,0:2 but names partition 0 twice: give it",
                "broker --directory /dev/null/x | --directory is /dev/null/x but must be a directory, or one that can",
                "autoscale run --group g --log x --mode act   | --mode is act but needs the command of a member: write"
                        + " it",
                "autoscale run --group g --log x -- sleep 9   | COMMAND is sleep 9 but is for --mode act only: add it",
                "autoscale run --group g --log x --window 12s | --window is 12 s but must be at least three times",
                "autoscale run --group g --log no/x           | --log is no/x but must be a file in a directory that",
                "autoscale run --group g --log x --set a=1    | --set is {a=1} but must make a policy: a is no option",
                "autoscale run --group g --log x --interval 10m --window 1h | --interval is 10 min 0 s but must be at"
                        + " most",
                "autoscale explain       | Missing required option: '--log=FILE'",
                "autoscale explain --log no-file | --log is no-file but must be a file that exists: give the log of",
                "autoscale explain --log x --at noon | --at is noon but must be a time: write it like 2026-01-31T12",
                "autoscale why-not --log x | Missing required parameter: 'N'",
                "autoscale why-not many --log x | N is many but must be a whole number: write digits only",
                "autoscale why-not -1 --log x | N is -1 but must be at least 0: raise it",
                "autoscale replay --log x --set replicas.mim=3 | --set is {replicas.mim=3} but must make a policy:"
                        + " replicas.mim is no option",
                "autoscale compare --seeds 0 | --seeds is 0 but must be at least 1: raise it",
                "autoscale compare --load flood | --load is flood but must be one of step, ramp, cosine, spikes, daily",
                "autoscale replay --log x --policy none | --policy is none but must be a properties file that can be",
                "frobnicate              | Unmatched argument at index 0: 'frobnicate'",
                "frobnicate --help       | Unmatched argument at index 0: 'frobnicate'",
                "--help frobnicate       | Unmatched argument at index 1: 'frobnicate'",
                "offsets frobnicate --help | Unmatched argument at index 1: 'frobnicate'"
            })
    @DisplayName("B52 A wrong command line ends with 2 and one sentence: option, value, rule, remedy")
    void refuses(String line, String message) {
        Cli cli = Cli.run(line.split(" "));
        assertThat(cli.err()).startsWith("laneway: " + message).doesNotContain("\tat ");
        assertThat(cli.code()).isEqualTo(Program.USAGE);
        assertThat(cli.out()).isEmpty();
    }

    @Test
    @DisplayName("No verb at all is a usage error")
    void refusesNothing() {
        Cli cli = Cli.run();
        assertThat(cli.code()).isEqualTo(Program.USAGE);
        assertThat(cli.err()).contains("Missing required subcommand");
    }

    @Test
    @DisplayName("A verb with a slip of the pen is answered with the verb that was meant")
    void suggestsVerbs() {
        assertThat(Cli.run("consum").err()).contains("laneway consume");
    }

    @Test
    @DisplayName("A broker that does not answer: 1, within the limit, with the address and what to do")
    void givesUpOnSilentBrokers() {
        Cli cli = Cli.run("load", "--topic", "a", "--bootstrap", "127.0.0.1:1", "--broker-limit", "300ms");
        assertThat(cli.code()).isEqualTo(Program.FAILED);
        assertThat(cli.err())
                .startsWith("laneway: cannot reach the cluster: no broker answers at 127.0.0.1:1 within 300 ms; check")
                .doesNotContain("\tat ");
    }

    @Test
    @DisplayName("With --verbose the stack trace is shown")
    void showsStackTracesOnDemand() {
        Cli cli = Cli.run("load", "--topic", "a", "--bootstrap", "127.0.0.1:1", "--broker-limit", "300ms", "--verbose");
        assertThat(cli.err()).contains("\tat ");
    }

    @Test
    @DisplayName("B52 What Kafka's client refuses is a usage error of the same form")
    void refusesWhatKafkaRefuses() {
        Cli cli = Cli.run("load", "--topic", "a", "--bootstrap", "nowhere");
        assertThat(cli.code()).isEqualTo(Program.FAILED);
        assertThat(cli.err())
                .startsWith("laneway: cannot connect to nowhere: Invalid url")
                .doesNotContain("\tat ");
    }

    @Test
    @DisplayName("--bootstrap wins over --property, --property over --config, and a default over nothing only")
    void connectionOptionsHaveAnOrder(@TempDir Path directory) throws Exception {
        Path file =
                Files.writeString(directory.resolve("client.properties"), "a=file\nb=file\nbootstrap.servers=file:1\n");
        assertThat(connection("--config", file.toString(), "--property", "b=given")
                        .kafkaConfig("default:1"))
                .containsEntry("a", "file")
                .containsEntry("b", "given")
                .containsEntry("bootstrap.servers", "file:1");
        assertThat(connection("--config", file.toString(), "--bootstrap", "option:1")
                        .kafkaConfig("default:1"))
                .containsEntry("bootstrap.servers", "option:1");
        assertThat(connection().kafkaConfig("default:1")).containsEntry("bootstrap.servers", "default:1");
        assertThat(connection().isGiven()).isFalse();
        assertThat(connection("--property", "bootstrap.servers=a:1").isGiven()).isTrue();
    }

    private static Connection connection(String... args) {
        Connection connection = new Connection();
        picocli.CommandLine line = new picocli.CommandLine(picocli.CommandLine.Model.CommandSpec.create()
                .addMixin("connection", picocli.CommandLine.Model.CommandSpec.forAnnotatedObject(connection)));
        line.registerConverter(java.time.Duration.class, new Durations());
        line.parseArgs(args);
        return connection;
    }

    @Test
    @DisplayName("B128 a report that standard output does not take is a failure, not a success")
    void lostReport() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int oneByte) throws IOException {
                throw new IOException("no space left");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Verb.Streams streams = new Verb.Streams(new PrintStream(full), Cli.stream(err), new Stop());
        int code = Main.commandLine(streams)
                .addSubcommand("reports", new ReportingVerb(streams))
                .execute("reports", "--json", "-");
        assertThat(code).isEqualTo(Program.FAILED);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("laneway: cannot write the report to --json -", "standard output takes no more");
    }

    @Test
    @DisplayName("An Error, such as a class that is no longer there, is told, and the verb has failed")
    void tellsErrors() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Verb.Streams streams = new Verb.Streams(System.out, Cli.stream(err), new Stop());
        int code = Program.run(
                streams, Main.commandLine(streams).addSubcommand("breaks", new BreakingVerb(streams)), "breaks");
        assertThat(code).isEqualTo(Program.FAILED);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("laneway: ended by what no program recovers from: java.lang.NoClassDefFoundError: gone")
                .contains("\tat " + BreakingVerb.class.getName());
    }

    @Command
    private static final class BreakingVerb extends Verb {
        BreakingVerb(Streams streams) {
            super(streams);
        }

        @Override
        protected void check() {
            // It has no options of its own.
        }

        @Override
        protected int run() {
            throw new NoClassDefFoundError("gone");
        }
    }

    @Command
    private static final class ReportingVerb extends Verb {
        ReportingVerb(Streams streams) {
            super(streams);
        }

        @Override
        protected void check() {
            // It has no options of its own.
        }

        @Override
        protected int run() {
            report(Map.of("records", 1));
            return Program.FINE;
        }
    }
}
