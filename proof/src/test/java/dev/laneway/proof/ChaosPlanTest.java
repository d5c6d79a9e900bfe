package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the options of chaos make of a run. */
class ChaosPlanTest {
    @Test
    @DisplayName("An hour is shared by all kinds of members, under all faults that the machine allows")
    void sharesTheHour() {
        List<ChaosPlan> plans = plans("--hour", "--seed", "1");
        assertThat(plans).extracting(ChaosPlan::mode).containsExactly(ChaosPlan.Mode.values());
        assertThat(plans.stream().map(ChaosPlan::duration).reduce(Duration.ZERO, Duration::plus))
                .isEqualTo(Duration.ofHours(1));
        EnumSet<Fault.Kind> all = EnumSet.allOf(Fault.Kind.class);
        if (!SmallDisk.isPossible()) {
            all.remove(Fault.Kind.FILL_DISK);
        }
        assertThat(plans).allSatisfy(plan -> assertThat(plan.kinds()).isEqualTo(all));
    }

    @Test
    @DisplayName("Faults that are named are made alone; without a name all are made that every machine allows")
    void makesWhatIsNamed() {
        assertThat(plans("--move-leaders", "--delete-topic").getFirst().kinds())
                .containsExactlyInAnyOrder(Fault.Kind.MOVE_LEADERS, Fault.Kind.DELETE_TOPIC);
        assertThat(plans("--fill-disk").getFirst().kinds()).containsExactly(Fault.Kind.FILL_DISK);
        assertThat(plans().getFirst().kinds())
                .contains(Fault.Kind.MOVE_LEADERS, Fault.Kind.DELETE_TOPIC, Fault.Kind.KILL_BROKER)
                .doesNotContain(Fault.Kind.FILL_DISK);
        assertThat(plans("--brokers", "1").getFirst().kinds()).doesNotContain(Fault.Kind.MOVE_LEADERS);
        assertThat(plans("--share").getFirst().mode()).isEqualTo(ChaosPlan.Mode.SHARE);
    }

    private static List<ChaosPlan> plans(String... options) {
        CommandLine main = Main.commandLine(new Verb.Streams(System.out, System.err, new Stop()));
        main.parseArgs(Stream.concat(Stream.of("chaos"), Stream.of(options)).toArray(String[]::new));
        CommandLine chaos = main.getSubcommands().get("chaos");
        return ((ChaosCommand) chaos.getCommandSpec().userObject()).plans();
    }
}
