package dev.laneway.orders;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Round;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Gives the tracker a load. */
@Command(
        name = "generate",
        header = "Place orders and let them go on, at a rate that can be changed.",
        description = {
            "Writes to the topics orders and progress, and creates them if they are missing. A number on a line of"
                    + " standard input is the new rate at once. The first --in-flight records place an order each, so"
                    + " that so many are in flight; then each record is of an order drawn by lot.",
            "",
            "The guide's full size is --rate 10000 --in-flight 2000000."
        },
        footer = {
            "",
            "Example: laneway orders generate --rates 1m@500,2m@2000",
            "",
            "Exit codes: 0 all records acknowledged, or ended by a signal; 1 failed, 2 usage."
        })
final class GenerateCommand extends Verb {
    private static final Duration STATUS_INTERVAL = Duration.ofSeconds(5);

    private final InputStream in;

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "500",
            description = "Records a second of both topics together (default: ${DEFAULT-VALUE}).")
    private double rate;

    @Option(
            names = "--rates",
            paramLabel = "TIME@N[,...]",
            description = "Rates one after the other, each for a time; ends after the last. In place of --rate.")
    private @Nullable String rates;

    @Option(
            names = "--in-flight",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Orders that are in flight at a time (default: ${DEFAULT-VALUE}).")
    private int inFlight;

    @Option(
            names = "--late",
            paramLabel = "SHARE",
            defaultValue = "0.02",
            description = "Share of events that are told after later ones (default: ${DEFAULT-VALUE}).")
    private double late;

    @Option(
            names = "--repeated",
            paramLabel = "SHARE",
            defaultValue = "0.01",
            description = "Share of events that are told twice (default: ${DEFAULT-VALUE}).")
    private double repeated;

    @Option(
            names = "--cancelled",
            paramLabel = "SHARE",
            defaultValue = "0.03",
            description = "Share of orders that are cancelled (default: ${DEFAULT-VALUE}).")
    private double cancelled;

    @Option(
            names = "--item-bytes",
            paramLabel = "N",
            defaultValue = "200",
            description = "Bytes of the text of what was ordered, which is most of an order's state (default:"
                    + " ${DEFAULT-VALUE}).")
    private int itemBytes;

    @Option(
            names = "--records",
            paramLabel = "N",
            defaultValue = "0",
            description = "End after so many records; 0 goes on until Ctrl-C (default: ${DEFAULT-VALUE}).")
    private long records;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "32",
            description = "Partitions of topics that are created (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "42",
            description = "The same seed makes the same happen to orders (default: ${DEFAULT-VALUE}).")
    private long seed;

    /** @param in says other rates, see {@link RateControl} */
    GenerateCommand(Streams streams, InputStream in) {
        super(streams);
        this.in = in;
    }

    @Override
    protected void check() {
        Rules.atLeast("--rate", rate, 0.0);
        Rules.atMost("--rate", rate, RateSchedule.FASTEST);
        Rules.between("--in-flight", inFlight, 1, 100_000_000);
        atMostHalf("--late", late);
        atMostHalf("--repeated", repeated);
        Rules.share("--cancelled", cancelled);
        Rules.between("--item-bytes", itemBytes, 0, 100_000);
        Rules.atLeast("--records", records, 0);
        Rules.between("--partitions", partitions, 1, 10_000);
        var _ = schedule();
        connection.brokerLimit();
    }

    private static void atMostHalf(String option, double share) {
        if (!(share >= 0 && share <= 0.5)) {
            throw new ConfigurationException(
                    option, share, "must be from 0 to 0.5", "0.01 is one in a hundred; above half little else is told");
        }
    }

    private RateSchedule schedule() {
        return rates == null ? RateSchedule.of(rate) : RateSchedule.parse(rates);
    }

    @Override
    protected int run() throws InterruptedException {
        Map<String, Object> kafka = connection.kafkaConfig(Connection.LOCAL);
        var _ = OrderTopics.ensure(kafka, partitions, connection.brokerLimit());
        RateControl control = new RateControl(schedule());
        control.listen(new InputStreamReader(in, StandardCharsets.UTF_8), errors());
        long began = System.currentTimeMillis();
        OrderPopulation orders = new OrderPopulation(
                new OrderPopulation.Mix(inFlight, late, repeated, cancelled, itemBytes),
                Long.toString(began, Character.MAX_RADIX),
                seed);
        OrderGenerator generator = new OrderGenerator(kafka, orders, control);
        long start = System.nanoTime();
        Thread teller = Thread.ofPlatform().daemon().name("teller").start(() -> tell(generator, control, start));
        try {
            generator.run(records == 0 ? Long.MAX_VALUE : records, stop()::isRequested);
        } finally {
            teller.interrupt();
            teller.join();
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        text().println(Text.count(generator.acknowledged()) + " records in " + Text.duration(took) + "; "
                + Text.count(orders.placed()) + " orders placed, " + Text.count(orders.ended()) + " ended");
        report(result(generator, orders, took));
        return Program.FINE;
    }

    private void tell(OrderGenerator generator, RateControl control, long start) {
        long told = start;
        long toldRecords = 0;
        try {
            while (!stop().await(STATUS_INTERVAL)) {
                long now = System.nanoTime();
                long records = generator.acknowledged();
                OptionalDouble wanted = control.at(now - start);
                text().println(Text.duration(Duration.ofNanos(now - start)) + "  "
                        + Text.rate((records - toldRecords) / ((now - told) / 1e9)) + " records/s"
                        + (wanted.isPresent() ? " of " + Text.rate(wanted.getAsDouble()) + " wanted" : ""));
                text().flush();
                told = now;
                toldRecords = records;
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, Object> result(OrderGenerator generator, OrderPopulation orders, Duration took) {
        double seconds = took.toNanos() / 1e9;
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("records", generator.acknowledged());
        result.put("placed", orders.placed());
        result.put("ended", orders.ended());
        result.put("seconds", Round.to3(seconds));
        result.put("rate", Round.to3(generator.acknowledged() / Math.max(1e-9, seconds)));
        return result;
    }
}
