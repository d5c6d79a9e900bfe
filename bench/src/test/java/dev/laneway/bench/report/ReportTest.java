package dev.laneway.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.laneway.ConfigurationException;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.scenario.BenchOrder;
import dev.laneway.bench.scenario.Case;
import dev.laneway.bench.scenario.Plan;
import dev.laneway.bench.scenario.Scenario;
import dev.laneway.bench.scenario.ScenarioHotKey;
import dev.laneway.bench.scenario.ScenarioPrefetch;
import dev.laneway.bench.scenario.ScenarioZipf;
import dev.laneway.bench.scenario.Scenarios;
import dev.laneway.bench.scenario.Size;
import dev.laneway.bench.scenario.Topic;
import dev.laneway.cli.program.Stop;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of an order and of its rows, without measuring. */
class ReportTest {
    private static final Machine MACHINE = new Machine(2, 1L << 30, 0.5, "os", "jdk", "4.3.1", "abc");

    private static final Taken TAKEN = new Taken("abc", "2026-11-22T07:00:00Z", "1");

    private static Row row(String peer, int run, double rate) {
        ArmResult result =
                new ArmResult(null, rate, 1.0, 0.5, 100.0, 10.0, null, null, "noted", Map.of("steady_rate", rate));
        return new Row("many-keys", "t512", peer, run, null, result, TAKEN);
    }

    private static Row failed(String peer, int run) {
        return new Row("many-keys", "t512", peer, run, null, ArmResult.failed("lost a record"), TAKEN);
    }

    private static BenchOrder order(boolean quick, List<String> scenarios, List<String> peers) {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        return new BenchOrder("./laneway bench", quick, scenarios, peers, null, 1, null, nowhere, nowhere, new Stop());
    }

    @Test
    @DisplayName("A case of a scenario can be asked for alone; one that is not there is refused with those that are")
    void takesOneCase() {
        Plan plan = Plan.of(order(false, List.of("many-keys/t100", "hot-key"), List.of()));
        assertThat(plan.parts().stream().map(Plan.Part::title)).containsExactly("many-keys t100", "hot-key hot");
        assertThatThrownBy(() -> Plan.of(order(false, List.of("many-keys/t1"), List.of())))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("many-keys has t512, t100");
        assertThatThrownBy(() -> Plan.of(order(false, List.of("many/t100"), List.of())))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("hot-key");
    }

    @Test
    @DisplayName("A ratio is to the bare loop of the same run, and the median is that of the runs' ratios")
    void comparesWithinRuns() {
        Row first = row("laneway", 1, 50).withRatioTo(row("bare", 1, 100));
        Row second = row("laneway", 2, 90).withRatioTo(row("bare", 2, 100));
        Row third = row("laneway", 3, 240).withRatioTo(row("bare", 3, 300));
        assertThat(Figure.of(List.of(first, second, third), Row::ratioToBare)).isEqualTo(new Figure(0.8, 0.5, 0.9));
        assertThat(Figure.of(List.of(first, second), Row::ratioToBare)).isEqualTo(new Figure(0.7, 0.5, 0.9));
        assertThat(row("laneway", 1, 50).withRatioTo(failed("bare", 1)).ratioToBare())
                .isNull();
        assertThat(Figure.of(List.of(failed("laneway", 1)), Row::ratioToBare)).isNull();
    }

    @Test
    @DisplayName(
            "P1 is the share of the better bare loop of each run, and is not measured where one of them is missing")
    void takesTheBetterBareLoop() {
        Target target = Targets.ALL.stream()
                .filter(each -> each.id().equals("P1 t512 key"))
                .findFirst()
                .orElseThrow();
        List<Row> rows = List.of(
                row("bare", 1, 100),
                row("bare-interval", 1, 200),
                row("laneway", 1, 150),
                row("bare", 2, 100),
                row("bare-interval", 2, 50),
                row("laneway", 2, 150),
                row("bare", 3, 100),
                failed("bare-interval", 3),
                row("laneway", 3, 150));
        assertThat(target.taking().apply(rows)).isEqualTo(new Figure(1.125, 0.75, 1.5));
        assertThat(target.taking().apply(List.of(row("bare", 1, 100), row("laneway", 1, 150))))
                .isNull();
    }

    @Test
    @DisplayName("A failed arm stays in the table and says what failed; its numbers are in no median")
    void keepsFailures() {
        Plan plan = Plan.of(order(false, List.of("many-keys"), List.of("bare", "pekko", "laneway")));
        Report report = new Report(
                "./laneway bench",
                MACHINE,
                plan,
                List.of(row("bare", 1, 100), failed("pekko", 1), row("laneway", 1, 95), failed("laneway", 2)));
        List<List<String>> table = report.table(plan.parts().getFirst());
        assertThat(table.get(2)).startsWith("pekko").endsWith("FAILED in run 1: lost a record");
        assertThat(table.get(3)).startsWith("laneway", "95.0").endsWith("FAILED in run 2: lost a record; noted");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        report.print(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("pekko", "lost a record", "published, many-keys: kpipe", "Laneway at abc", "./laneway bench");
    }

    @Test
    @DisplayName("The HTML report needs no other file, draws each case, and shows what failed")
    void writesHtml() {
        Plan plan = Plan.of(order(false, List.of("many-keys"), List.of("bare", "pekko")));
        String html =
                HtmlReport.of(new Report("a < b", MACHINE, plan, List.of(row("bare", 1, 100), failed("pekko", 1))));
        assertThat(html)
                .contains("<code>a &lt; b</code>", "&quot;peers&quot;:[&quot;bare&quot;,&quot;pekko&quot;]")
                .contains("<tr class=\"failed\"><td>pekko</td>", "Chart.js v4", "new Chart(canvas")
                .doesNotContain("src=", "<link");
    }

    @Test
    @DisplayName("Rows are kept as they come, and good ones are not taken again")
    void keepsRows(@TempDir Path directory) throws Exception {
        RowFile file = new RowFile(directory);
        Row good = row("laneway", 1, 95).withRatioTo(row("bare", 1, 100));
        file.add(good);
        file.add(failed("laneway", 2));
        Files.writeString(directory.resolve("rows.jsonl"), "{\"scenario\":\"many", StandardOpenOption.APPEND);
        RowFile again = new RowFile(directory);
        assertThat(again.get(good.id(), "1")).isEqualTo(good);
        assertThat(again.get(failed("laneway", 2).id(), "1")).isNull();
        assertThat(again.get(row("laneway", 3, 1).id(), "1")).isNull();
    }

    @Test
    @DisplayName("A row of another setting is not taken over; the report names the commits of its rows")
    void tellsSettingsApart(@TempDir Path directory) {
        Topic topic = Topic.empty("t", 1);
        Case setting = new Case("a", topic, "consume", Map.of("x", "1", "y", "2"), List.of("bare"), Duration.ZERO);
        assertThat(Taken.setting(setting.with("x", 1))).isEqualTo(Taken.setting(setting));
        assertThat(Taken.setting(setting.with("x", 2))).isNotEqualTo(Taken.setting(setting));
        Row row = row("laneway", 1, 95);
        new RowFile(directory).add(row);
        RowFile again = new RowFile(directory);
        assertThat(again.get(row.id(), "2")).isNull();
        assertThat(again.hasOther(row.id(), "2")).isTrue();
        assertThat(again.hasOther(row.id(), "1")).isFalse();
        Row later = new Row("many-keys", "t512", "bare", 1, null, row.result(), new Taken("def", "2026-11-23", "1"));
        Plan plan = Plan.of(order(false, List.of("many-keys"), List.of("laneway")));
        assertThat(new Report("", MACHINE, plan, List.of(row, later)).sittings())
                .isEqualTo("Taken: 1 rows of abc from 2026-11-22T07:00:00Z to 2026-11-22T07:00:00Z; 1 rows of def from"
                        + " 2026-11-23 to 2026-11-23");
        assertThat(row.withRatioTo(later).result().notes()).isEqualTo("noted, its bare loop is of def");
    }

    @Test
    @DisplayName("A report tells of all that its directory holds in present settings, by whatever commands it came")
    void tellsOfAllThatIsKept(@TempDir Path directory) {
        Size size = new Size(1, false);
        RowFile file = new RowFile(directory);
        Row hot = kept("hot-key", new ScenarioHotKey().cases(size).getFirst());
        Row zipf = kept("zipf", new ScenarioZipf().cases(size).getFirst());
        Row small = kept("zipf", new ScenarioZipf().cases(new Size(0.5, false)).getLast());
        List.of(zipf, small, hot).forEach(file::add);
        Plan asked = Plan.of(order(false, List.of("hot-key"), List.of("laneway")));
        Kept kept = Kept.of(asked, size, new RowFile(directory));
        assertThat(kept.plan().parts()).extracting(Plan.Part::title).containsExactly("hot-key hot", "zipf s0.8");
        assertThat(kept.rows()).containsExactly(hot, zipf);
        assertThat(kept.plan().runs()).isEqualTo(3);

        assertThat(file.noted("./laneway bench --scenario zipf")).isEqualTo("./laneway bench --scenario zipf");
        file.noted("./laneway bench --scenario hot-key");
        String commands = new RowFile(directory).noted("./laneway bench --scenario zipf");
        assertThat(commands).isEqualTo("./laneway bench --scenario zipf\n./laneway bench --scenario hot-key");
        assertThat(HtmlReport.of(new Report(commands, MACHINE, kept.plan(), kept.rows())))
                .contains("<code>./laneway bench --scenario zipf</code>", "--scenario hot-key</code>", "zipf s0.8");
    }

    private static Row kept(String scenario, Case setting) {
        Taken now = new Taken("abc", "2026-11-22T07:00:00Z", Taken.setting(setting));
        return new Row(
                scenario,
                setting.name(),
                "laneway",
                3,
                null,
                row("laneway", 3, 1).result(),
                now);
    }

    @Test
    @DisplayName("The crossover lies where the ratio of a run passes one, and nowhere when it never does")
    void findsCrossover() {
        Row bare = sweep("bare", 1_000, 1_000, 1_000, 500, 200, 100);
        List<Row> rows = List.of(bare, sweep("laneway", 800, 750, 1_250, 900, 900, 900));
        assertThat(Crossover.of(rows, "laneway"))
                .isNotNull()
                .satisfies(at -> assertThat(at.median()).isEqualTo(0.2, within(1e-9)));
        assertThat(Crossover.of(List.of(bare, sweep("laneway", 1_000, 1, 1, 1, 1, 1)), "laneway"))
                .isEqualTo(new Figure(0, 0, 0));
        List<Row> never = List.of(bare, sweep("pekko", 10, 10, 10, 10, 10, 10));
        assertThat(Crossover.of(never, "pekko")).isNull();
        assertThat(Crossover.table(never)).contains(List.of("pekko", "not up to 10 ms"));
    }

    private static Row sweep(String peer, double... rates) {
        Map<String, Double> figures = new HashMap<>();
        for (int i = 0; i < rates.length; i++) {
            figures.put("wait_" + ScenarioPrefetch.WAITS.get(i), rates[i]);
        }
        ArmResult result = new ArmResult(null, 1.0, 1.0, 1.0, 1.0, 1.0, null, null, "", figures);
        return new Row("prefetch", "sweep", peer, 1, null, result, TAKEN);
    }

    @Test
    @DisplayName("The model of a million records/s has the figures of its formula, and counts a spare machine")
    void sizes() {
        assertThat(Sizing.concurrency(100, 100, 100)).isEqualTo(50.25, within(0.005));
        assertThat(Sizing.concurrency(100, 100, 5_000)).isEqualTo(98.06, within(0.005));
        assertThat(Sizing.machines(500_000)).isEqualTo(4);
        assertThat(Sizing.text(List.of(), 2)).isEmpty();
    }

    @Test
    @DisplayName("A quick look takes plain and many-keys with the best-known peers, others when they are asked for")
    void plansQuick() {
        Plan quick = Plan.of(order(true, List.of(), List.of()));
        assertThat(quick.parts()).extracting(Plan.Part::title).containsExactly("plain t512", "many-keys t512");
        assertThat(quick.parts().getFirst().setting().peers())
                .containsExactly("bare", "laneway", "parallel-consumer", "pekko", "reactor-kafka");
        assertThat(quick.parts().getLast().setting().peers())
                .containsExactly("bare", "bare-interval", "laneway", "parallel-consumer", "pekko", "reactor-kafka");
        assertThat(quick.seconds()).isLessThan(240);
        assertThat(Plan.full().withoutNamedOnly().seconds()).isLessThan(165 * 60);
        assertThat(Plan.of(order(false, List.of(), List.of())).parts())
                .as("what is measured by name only is no part of the whole")
                .hasSize(Plan.full().parts().size() - 5);
        assertThat(Plan.of(order(false, List.of("skewed-group"), List.of())).parts())
                .hasSize(5);
        assertThat(Plan.of(order(false, List.of("stuck-key"), List.of())).runs())
                .isEqualTo(1);
        assertThat(Plan.of(order(false, List.of("stuck-key", "cost"), List.of()))
                        .parts())
                .extracting(Plan.Part::runs)
                .containsExactly(1, 1, 1, 1, 1, 5, 5);
        Plan cost = Plan.of(order(true, List.of("cost"), List.of()));
        assertThat(cost.parts()).extracting(Plan.Part::title).containsExactly("cost bytes", "cost strings");
    }

    @Test
    @DisplayName("Peers are named whole, or by how they begin; what is not there is refused with what there is")
    void selectsPeers() {
        Plan plan = Plan.of(order(false, List.of("plain"), List.of("bare", "laneway*")));
        assertThat(plan.parts().getFirst().setting().peers())
                .contains("bare", "laneway", "laneway-stream")
                .doesNotContain("bare-consumer", "pekko");
        assertThatThrownBy(() -> Plan.of(order(false, List.of(), List.of("kafka"))))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("--peers is kafka but must be one of");
        assertThatThrownBy(() -> Plan.of(order(false, List.of("fast"), List.of())))
                .hasMessageContaining("--scenario is fast but must be one of plain, ");
    }

    @ParameterizedTest
    @CsvSource({
        "0.75, 0.95, 0.95, goal",
        "0.75, 0.95, 0.94, must",
        "0.75, 0.95, 0.75, must",
        "0.75, 0.95, 0.74, no",
        "300, 100, 100, goal",
        "300, 100, 101, must",
        "300, 100, 300, must",
        "300, 100, 301, no"
    })
    @DisplayName("A target is met from its value on, upwards or downwards")
    void meets(double must, double goal, double value, String met) {
        assertThat(new Target("P0", "what", must, goal, _ -> null).met(value)).isEqualTo(met);
    }

    @Test
    @DisplayName("Every target reads a case and a peer that a scenario has")
    void targetsExist() {
        List<Row> rows = new ArrayList<>();
        Size full = new Size(1, false);
        for (Scenario scenario : Scenarios.ALL) {
            for (Case each : scenario.cases(full)) {
                for (String peer : each.peers()) {
                    rows.add(new Row(scenario.name(), each.name(), peer, 1, 1.0, everything(), TAKEN));
                }
            }
        }
        assertThat(Targets.ALL)
                .allSatisfy(target ->
                        assertThat(target.taking().apply(rows)).as(target.id()).isNotNull());
        assertThat(Targets.table(rows)).hasSize(1 + Targets.ALL.size());
    }

    private static ArmResult everything() {
        Map<String, Double> figures = new HashMap<>();
        Targets.FIGURES.forEach(name -> figures.put(name, 1.0));
        ScenarioPrefetch.WAITS.forEach(wait -> figures.put("wait_" + wait, 1.0));
        return new ArmResult(null, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, "", figures);
    }
}
