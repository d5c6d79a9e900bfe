package dev.laneway.bench;

import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.report.Kept;
import dev.laneway.bench.report.Machine;
import dev.laneway.bench.report.Report;
import dev.laneway.bench.report.Row;
import dev.laneway.bench.report.RowFile;
import dev.laneway.bench.report.Taken;
import dev.laneway.bench.scenario.BenchOrder;
import dev.laneway.bench.scenario.Case;
import dev.laneway.bench.scenario.Plan;
import dev.laneway.bench.scenario.Scenario;
import dev.laneway.bench.scenario.Scenarios;
import dev.laneway.bench.scenario.Size;
import dev.laneway.bench.workload.ArmProcess;
import dev.laneway.bench.workload.Workloads;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What stands behind the verb bench. */
final class Bench {
    /** Says which scenarios and peers there are. */
    void list(PrintStream out) {
        Size full = new Size(1, false);
        for (Scenario scenario : Scenarios.ALL) {
            out.println(
                    scenario.name() + ": " + scenario.what() + (scenario.isByNameOnly() ? "; by its name only" : ""));
            for (Case each : scenario.cases(full)) {
                out.println("    " + each.name() + ": " + String.join(", ", each.peers()));
            }
        }
        Plan all = Plan.full().withoutNamedOnly();
        out.println("All of it takes about " + Text.duration(Duration.ofSeconds(Math.round(all.seconds()))) + " with "
                + all.runs() + " runs");
    }

    /** Checks an order before anything is started: throws when it asks for what there is not. */
    void check(BenchOrder order) {
        Plan.of(order);
    }

    /** Measures. Returns a row for each arm of each run, in their order. */
    List<Map<String, @Nullable Object>> run(BenchOrder order) throws InterruptedException {
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
        RowFile file = directory == null ? null : new RowFile(directory);
        // Noted before the run, since a stopped run leaves rows too.
        String commands = file == null ? order.command() : file.noted(order.command());
        if (file != null) {
            file.note(machine);
        }
        List<Row> rows = new Taking(order, plan, root, machine.commit(), file).take();
        new Report(order.command(), machine, plan, rows).print(order.text());
        if (file != null) {
            Kept kept = Kept.of(plan, new Size(order.scale(), order.quick()), file);
            new Report(commands, machine, kept.plan(), kept.rows()).write(file.directory());
            order.progress().println("The report is in " + file.directory());
        }
        return rows.stream().map(Row::toJson).toList();
    }

    /** Makes the page with charts of the rows in a directory. */
    void page(Path directory, PrintStream text) {
        RowFile file = new RowFile(directory);
        Kept kept = Kept.all(file);
        int others = file.all().size() - kept.rows().size();
        if (others > 0) {
            text.println(others + " rows are of cases that there are no more, and are left out");
        }
        Machine noted = file.machine();
        Machine machine = noted != null ? noted : Machine.here(root());
        if (noted == null) {
            text.println("The machine was not noted: the page names this one");
        }
        text.println(
                "The page is " + new Report(file.commands(), machine, kept.plan(), kept.rows()).writePage(directory));
    }

    /** The root of the checkout, which the launcher passes. */
    private static Path root() {
        String root = System.getenv("LANEWAY_ROOT");
        return Path.of(root == null ? ".." : root).toAbsolutePath().normalize();
    }

    private static @Nullable Path directory(BenchOrder order, Path root, Machine machine) {
        Path given = order.report();
        if (given != null) {
            return given;
        }
        boolean full =
                !order.quick() && order.scenarios().isEmpty() && order.peers().isEmpty();
        return full ? root.resolve("bench/results/" + LocalDate.now(ZoneOffset.UTC) + "-" + machine.label()) : null;
    }

    /** Measures the rows of a plan: case after case, and in each run after run, peer after peer. */
    private static final class Taking {
        private final BenchOrder order;
        private final Plan plan;
        private final String commit;
        private final @Nullable RowFile file;
        private final ArmProcess arms;
        private final Pace pace;
        private final List<Row> rows = new ArrayList<>();

        Taking(BenchOrder order, Plan plan, Path root, String commit, @Nullable RowFile file) {
            this.order = order;
            this.plan = plan;
            this.commit = commit;
            this.file = file;
            this.arms = new ArmProcess(root, order.stop());
            this.pace = new Pace(order.progress(), plan.seconds(), System::nanoTime);
        }

        List<Row> take() throws InterruptedException {
            try (Bed bed = Bed.start(order.stop())) {
                List<Plan.Part> parts = plan.parts();
                for (int i = 0; i < parts.size(); i++) {
                    bed.forget(parts.subList(i, parts.size()).stream()
                            .map(part -> part.setting().topic())
                            .collect(Collectors.toSet()));
                    take(parts.get(i), bed);
                }
            }
            return rows;
        }

        private void take(Plan.Part part, Bed bed) throws InterruptedException {
            Case setting = part.setting();
            pace.next("loading " + part.title(), bed.holds(setting.topic()) ? 0 : Plan.loadSeconds(setting.topic()));
            String topic = null;
            String checksum = Taken.setting(setting);
            sayOthers(part, checksum);
            for (int run = 1; run <= part.runs(); run++) {
                Map<String, Row> taken = new HashMap<>();
                for (String peer : setting.peers()) {
                    pace.next(
                            part.title() + ", run " + run + " of " + part.runs() + ": " + peer,
                            Plan.armSeconds(setting));
                    Row known = file == null ? null : file.get(id(part, peer, run), checksum);
                    if (known == null) {
                        topic = topic != null ? topic : bed.topic(setting.topic());
                        known = arm(part, bed, topic, peer, run, checksum).withRatioTo(taken.get("bare"));
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

        private void sayOthers(Plan.Part part, String checksum) {
            RowFile kept = file;
            if (kept == null) {
                return;
            }
            long others = IntStream.rangeClosed(1, part.runs())
                    .boxed()
                    .flatMap(run -> part.setting().peers().stream().map(peer -> id(part, peer, run)))
                    .filter(id -> kept.hasOther(id, checksum))
                    .count();
            if (others > 0) {
                order.progress()
                        .println(part.title() + ": " + others
                                + " rows were taken in another setting (another --scale, or an earlier version of"
                                + " the case) and are taken again");
            }
        }

        private Row arm(Plan.Part part, Bed bed, String topic, String peer, int run, String checksum)
                throws InterruptedException {
            Case setting = part.setting();
            checkStop();
            ArmSpec spec = new ArmSpec(
                    setting.workload(),
                    peer,
                    bed.bootstrap(),
                    topic,
                    (id(part, peer, run) + "-" + System.currentTimeMillis()).replace('/', '-'),
                    setting.topic().records(),
                    setting.topic().partitions(),
                    setting.topic().keys(),
                    params(setting, bed, topic));
            ArmResult result = arms.run(spec, setting.limit());
            checkStop();
            Taken taken = new Taken(
                    commit, Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(), checksum);
            return new Row(part.scenario().name(), setting.name(), peer, run, null, result, taken);
        }

        private void checkStop() {
            if (order.stop().isRequested()) {
                String kept = file == null
                        ? "with --report DIR, its rows would have been kept"
                        : "the rows so far are in " + file.directory() + ": --report with this directory goes on";
                throw new VerbFailure("stopped before the end; " + kept);
            }
        }

        /** The parameters of an arm, with what an old client cannot ask the broker. */
        private static Map<String, String> params(Case setting, Bed bed, String topic) throws InterruptedException {
            return setting.workload().equals(Workloads.FLOW)
                    ? setting.with("topic-bytes", bed.bytes(topic)).params()
                    : setting.params();
        }

        private static String id(Plan.Part part, String peer, int run) {
            return Row.id(part.scenario().name(), part.setting().name(), peer, run);
        }
    }
}
