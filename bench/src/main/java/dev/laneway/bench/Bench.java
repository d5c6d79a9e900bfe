package dev.laneway.bench;

import dev.laneway.cli.Benchmarks;
import dev.laneway.cli.Text;
import dev.laneway.cli.VerbFailure;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What stands behind the verb bench. Found as a service. */
public final class Bench implements Benchmarks {
    /** For the service loader. */
    public Bench() {}

    @Override
    public void list(PrintStream out) {
        Size full = new Size(1, false);
        for (Scenario scenario : Scenarios.ALL) {
            out.println(scenario.name() + ": " + scenario.what());
            for (Case each : scenario.cases(full)) {
                out.println("    " + each.name() + ": " + String.join(", ", each.peers()));
            }
        }
    }

    @Override
    public void check(Order order) {
        Plan.of(order);
    }

    @Override
    public List<Map<String, @Nullable Object>> run(Order order) throws InterruptedException {
        Plan plan = Plan.of(order);
        Path root = root();
        Machine machine = Machine.here(root);
        if (!machine.isQuiet()) {
            order.progress()
                    .println("This machine is not quiet (load average " + Text.rate(machine.loadAverage()) + " on "
                            + machine.cores() + " cores): the figures will mean little");
        }
        Path directory = directory(order, root, machine);
        order.progress()
                .println("About " + Text.duration(Duration.ofSeconds(Math.round(plan.seconds())))
                        + (directory == null ? "" : "; rows go to " + directory));
        Taking taking = new Taking(order, plan, root, directory == null ? null : new RowFile(directory));
        List<Row> rows = taking.take();
        Report report = new Report(order.command(), machine, plan, rows);
        report.print(order.text());
        if (directory != null) {
            report.write(directory);
            order.progress().println("The report is in " + directory);
        }
        return rows.stream().map(Row::toJson).toList();
    }

    /** Of the checkout: the launcher says it. */
    private static Path root() {
        String root = System.getenv("LANEWAY_ROOT");
        return Path.of(root == null ? ".." : root).toAbsolutePath().normalize();
    }

    private static @Nullable Path directory(Order order, Path root, Machine machine) {
        Path given = order.report();
        if (given != null) {
            return given;
        }
        boolean full =
                !order.quick() && order.scenarios().isEmpty() && order.peers().isEmpty();
        return full ? root.resolve("bench/results/" + LocalDate.now(ZoneOffset.UTC) + "-" + machine.label()) : null;
    }

    /** Takes the rows of a plan: case after case, and in each run after run, peer after peer. */
    private static final class Taking {
        private final Order order;
        private final Plan plan;
        private final @Nullable RowFile file;
        private final ArmProcess arms;
        private final Pace pace;
        private final List<Row> rows = new ArrayList<>();

        Taking(Order order, Plan plan, Path root, @Nullable RowFile file) {
            this.order = order;
            this.plan = plan;
            this.file = file;
            this.arms = new ArmProcess(root, order.stop());
            this.pace = new Pace(order.progress(), plan.seconds(), System::nanoTime);
        }

        List<Row> take() throws InterruptedException {
            try (Bed bed = Bed.start(order.stop())) {
                String before = "";
                for (Plan.Part part : plan.parts()) {
                    String scenario = part.scenario().name();
                    if (!scenario.equals(before)) {
                        bed.forget();
                    }
                    before = scenario;
                    take(part, bed);
                }
            }
            return rows;
        }

        private void take(Plan.Part part, Bed bed) throws InterruptedException {
            Case setting = part.setting();
            pace.next("loading " + part.title(), Plan.loadSeconds(setting.topic()));
            String topic = null;
            for (int run = 1; run <= plan.runs(); run++) {
                Map<String, Row> taken = new HashMap<>();
                for (String peer : setting.peers()) {
                    pace.next(
                            part.title() + ", run " + run + " of " + plan.runs() + ": " + peer,
                            Plan.armSeconds(setting));
                    Row known = file == null ? null : file.get(id(part, peer, run));
                    if (known == null) {
                        topic = topic != null ? topic : bed.topic(setting.topic());
                        known = arm(part, bed, topic, peer, run).withRatioTo(taken.get("bare"));
                        if (file != null) {
                            file.add(known);
                        }
                    }
                    taken.put(peer, known);
                    rows.add(known);
                    order.text().println(Report.line(known));
                }
            }
        }

        private Row arm(Plan.Part part, Bed bed, String topic, String peer, int run) throws InterruptedException {
            Case setting = part.setting();
            if (order.stop().isRequested()) {
                throw new VerbFailure("stopped before the end");
            }
            ArmSpec spec = new ArmSpec(
                    setting.workload(),
                    peer,
                    bed.bootstrap(),
                    topic,
                    (id(part, peer, run) + "-" + System.currentTimeMillis()).replace('/', '-'),
                    setting.topic().records(),
                    setting.topic().partitions(),
                    setting.topic().keys(),
                    setting.params());
            ArmResult result = arms.run(spec, setting.limit());
            return new Row(part.scenario().name(), setting.name(), peer, run, null, result);
        }

        private static String id(Plan.Part part, String peer, int run) {
            return new Row(part.scenario().name(), part.setting().name(), peer, run, null, ArmResult.failed("")).id();
        }
    }
}
