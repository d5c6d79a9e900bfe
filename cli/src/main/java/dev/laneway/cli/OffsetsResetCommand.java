package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.Laneway;
import dev.laneway.OffsetReset;
import dev.laneway.StartPosition;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.workload.Cluster;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Moves a group's committed offsets, once. */
@Command(
        name = "reset",
        header = "Move the committed offsets of a group that has no members.",
        description = {
            "The group's next consumer starts at the new offsets. What was done beyond the old ones is forgotten, too."
                    + " Refused while the group has members: stop its consumers first."
        },
        footer = {
            "",
            "Example: laneway offsets reset --group shop --topic orders --to earliest --dry-run",
            "",
            "Exit codes: 0 the offsets were moved, or with --dry-run could be; 1 failed, 2 usage."
        })
final class OffsetsResetCommand extends Verb {
    private static final Pattern OFFSETS = Pattern.compile("\\d{1,9}:\\d{1,18}(,\\d{1,9}:\\d{1,18})*");
    private static final String RULE =
            "must be earliest, latest, a time such as 2026-11-24T10:00:00Z, or PARTITION:OFFSET[,...]";

    @Mixin
    private Connection connection = new Connection();

    @Option(names = "--group", paramLabel = "GROUP", required = true, description = "The consumer group.")
    private String group = "";

    @Option(
            names = "--topic",
            paramLabel = "TOPIC",
            split = ",",
            required = true,
            description = "Whose offsets; several topics with commas between them.")
    private List<String> topics = new ArrayList<>();

    @Option(
            names = "--to",
            paramLabel = "POSITION",
            required = true,
            description = "earliest, latest, a time such as 2026-11-24T10:00:00Z (the first record from then on), or,"
                    + " for one topic, PARTITION:OFFSET[,PARTITION:OFFSET...].")
    private String to = "";

    @Option(names = "--dry-run", description = "Show what would be moved, and change nothing.")
    private boolean dryRun;

    OffsetsResetCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Rules.named("--group", group);
        topics.forEach(topic -> Rules.named("--topic", topic));
        position();
        connection.brokerLimit();
    }

    @Override
    protected int run() {
        Map<String, Object> config = new HashMap<>(connection.kafkaConfig(Connection.LOCAL));
        try (Cluster _ = Cluster.connect(config, connection.brokerLimit())) {
            // A broker answers: a later failure has another reason.
        }
        int limitMillis =
                (int) Math.min(Integer.MAX_VALUE, connection.brokerLimit().toMillis());
        config.put(CommonClientConfigs.GROUP_ID_CONFIG, group);
        config.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, limitMillis);
        config.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, limitMillis);
        String[] named = topics.toArray(String[]::new);
        OffsetReset reset = dryRun
                ? Laneway.planOffsetReset(config, position(), named)
                : Laneway.resetOffsets(config, position(), named);
        show(reset);
        report(result(reset));
        return Program.FINE;
    }

    private StartPosition position() {
        String lower = to.toLowerCase(Locale.ROOT);
        if (lower.equals("earliest")) {
            return StartPosition.earliest();
        }
        if (lower.equals("latest")) {
            return StartPosition.latest();
        }
        if (OFFSETS.matcher(to).matches()) {
            return offsets();
        }
        try {
            return StartPosition.timestamp(Instant.parse(to));
        } catch (DateTimeException neither) {
            throw new ConfigurationException("--to", to, RULE, "give one of these");
        }
    }

    private StartPosition offsets() {
        if (topics.size() > 1) {
            throw new ConfigurationException(
                    "--to", to, "gives offsets of one topic, and --topic names " + topics.size(), "name one topic");
        }
        Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
        for (String each : to.split(",", -1)) {
            int colon = each.indexOf(':');
            TopicPartition partition =
                    new TopicPartition(topics.getFirst(), Integer.parseInt(each.substring(0, colon)));
            if (offsets.put(partition, Long.parseLong(each.substring(colon + 1))) != null) {
                throw new ConfigurationException(
                        "--to", to, "names partition " + partition.partition() + " twice", "give it one offset");
            }
        }
        return StartPosition.offsets(offsets);
    }

    private void show(OffsetReset reset) {
        int width = "partition".length();
        for (OffsetReset.Move move : reset.moves()) {
            width = Math.max(width, move.partition().toString().length());
        }
        String form = "%-" + width + "s  %14s  %14s  %s%n";
        text().printf(Locale.ROOT, form, "partition", "committed", "new", "records, at most");
        long skipped = 0;
        long again = 0;
        for (OffsetReset.Move move : reset.moves()) {
            skipped += Math.max(0, move.skipped());
            again += Math.max(0, -move.skipped());
            text().printf(
                            Locale.ROOT,
                            form,
                            move.partition(),
                            move.from().isEmpty()
                                    ? "none"
                                    : Text.count(move.from().getAsLong()),
                            Text.count(move.to()),
                            effect(move));
        }
        text().println((dryRun ? "Would move " : "Moved ")
                + partitions(reset.moves().size()) + " of group "
                + reset.group() + ": at most " + Text.count(skipped) + " records are skipped, " + Text.count(again)
                + " come again" + (dryRun ? "; nothing was changed" : ""));
    }

    private static String effect(OffsetReset.Move move) {
        if (move.skipped() == 0) {
            return move.from().isEmpty() ? "starts here" : "stays";
        }
        return move.skipped() > 0 ? Text.count(move.skipped()) + " skipped" : Text.count(-move.skipped()) + " again";
    }

    private static String partitions(int count) {
        return count == 1 ? "1 partition" : Text.count(count) + " partitions";
    }

    private Map<String, Object> result(OffsetReset reset) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("group", reset.group());
        result.put("dry_run", dryRun);
        result.put(
                "moves", reset.moves().stream().map(OffsetsResetCommand::json).toList());
        return result;
    }

    private static Map<String, @Nullable Object> json(OffsetReset.Move move) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("topic", move.partition().topic());
        json.put("partition", move.partition().partition());
        json.put("from", move.from().isEmpty() ? null : move.from().getAsLong());
        json.put("to", move.to());
        return json;
    }
}
