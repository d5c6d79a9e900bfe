package dev.laneway.cli;

import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Round;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.LiveView;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.Progress;
import dev.laneway.cli.workload.Records;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Fills a topic. */
@Command(
        name = "load",
        header = "Fill a topic with records, at a rate or as fast as possible.",
        description = {
            "Creates the topic when it is missing. A record's key is a number in decimal, from 0 to --keys minus 1;"
                    + " its value starts with the record's number (8 bytes), its key's number (4) and its number among"
                    + " those of its key (4), so that a reader can tell what is lost, doubled or out of order."
        },
        footer = {
            "",
            "Example: laneway load --topic orders --records 1000000 --keys 10000 --rate 50000",
            "",
            "Exit codes: 0 all records acknowledged, 1 failed or stopped before the end, 2 usage."
        })
final class LoadCommand extends Verb {
    @Mixin
    private Connection connection = new Connection();

    @Mixin
    private Records records = new Records();

    @Option(names = "--topic", paramLabel = "TOPIC", required = true, description = "The topic to fill.")
    private String topic = "";

    @Option(
            names = "--records",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "How many records; 0 loads until Ctrl-C (default: ${DEFAULT-VALUE}).")
    private long count;

    @Option(names = "--rate", paramLabel = "N", description = "Records per second (default: as fast as possible).")
    private @Nullable Long rate;

    LoadCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Rules.named("--topic", topic);
        Rules.atLeast("--records", count, 0);
        if (rate != null) {
            Rules.between("--rate", rate, 1, 100_000_000);
        }
        records.check();
        connection.brokerLimit();
    }

    @Override
    protected int run() {
        Map<String, Object> config = connection.kafkaConfig(Connection.LOCAL);
        int partitions;
        try (Cluster cluster = Cluster.connect(config, connection.brokerLimit())) {
            partitions = cluster.ensureTopic(topic, records.partitions());
        }
        long wanted = count == 0 ? Loader.ENDLESS : count;
        Loader loader = new Loader(config, records.plan(topic, wanted, rate == null ? 0 : rate));
        Loader.Result loaded;
        try (LiveView _ = LiveView.open(
                text(), terminal(), "Loading " + topic, () -> Progress.of(loader.acknowledged(), wanted))) {
            loaded = loader.run(stop()::isRequested);
        }
        boolean complete = count == 0 || loaded.records() == count;
        text().println(Text.count(loaded.records()) + " records in " + Text.duration(loaded.took()) + ", "
                + Text.rate(loaded.rate()) + " records/s, " + partitions + " partitions"
                + (complete ? "" : "; stopped before the end"));
        report(result(loaded, partitions, complete));
        return complete ? Program.FINE : Program.FAILED;
    }

    private Map<String, Object> result(Loader.Result loaded, int partitions, boolean complete) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("topic", topic);
        result.put("partitions", partitions);
        result.put("records", loaded.records());
        result.put("keys", records.keys());
        result.put("size", records.size());
        result.put("zipf", records.skew());
        result.put("seconds", Round.to3(loaded.took().toNanos() / 1e9));
        result.put("rate", Round.to3(loaded.rate()));
        result.put("complete", complete);
        return result;
    }
}
