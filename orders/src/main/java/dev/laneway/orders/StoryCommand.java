package dev.laneway.orders;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.Finding;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.RuleId;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Recording;
import dev.laneway.ops.observe.Sample;
import dev.laneway.ops.observe.SourceFailure;
import dev.laneway.orders.story.SizingStory;
import dev.laneway.orders.story.StorySamples;
import dev.laneway.orders.story.StoryStep;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Has check judge the guide's story. */
@Command(
        name = "story",
        header = "Judge the six steps of the guide to sizing Kafka Streams.",
        description = {
            "What the guide prints of each step is made to samples, as laneway check takes them, and judged by its"
                    + " rules. Needs no broker. docs/orders.md says which numbers are the guide's."
        },
        footer = {
            "",
            "Example: laneway orders story --record target",
            "Then: laneway check --replay target/story-2-reads.jsonl.gz",
            "",
            "Exit codes: 0 fine, 1 failed, 2 usage."
        })
final class StoryCommand extends Verb {
    private static final String INDENT = "   ";

    @Option(
            names = "--record",
            paramLabel = "DIR",
            description = "Write the samples of each step to a file in this directory, for check --replay.")
    private @Nullable Path record;

    StoryCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        if (record != null && !Files.isDirectory(record)) {
            throw new ConfigurationException(
                    "--record", record.toString(), "must be a directory that exists", "create it");
        }
    }

    @Override
    protected int run() {
        List<Map<String, Object>> steps = new ArrayList<>();
        for (StoryStep step : SizingStory.steps()) {
            List<Sample> samples = StorySamples.of(step);
            CheckResult result = GroupCheck.judge(new Observations(samples), Thresholds.USUAL);
            say(step.name().charAt(0) + "  " + step.title());
            say(INDENT + "guide: " + step.right());
            say(INDENT + result.sentence());
            if (!result.remedy().isEmpty()) {
                say(INDENT + result.remedy());
            }
            String spare = spare(step, result);
            if (!spare.isEmpty()) {
                say(INDENT + "W1: " + spare);
            }
            text().println();
            if (record != null) {
                write(record.resolve("story-" + step.name() + ".jsonl.gz"), samples);
            }
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("name", step.name());
            facts.put("title", step.title());
            facts.put("outcome", result.outcome().name());
            facts.put("cause", result.cause() == null ? null : result.cause().name());
            facts.put("sentence", result.sentence());
            facts.put("remedy", result.remedy());
            steps.add(facts);
        }
        report(steps);
        return Program.FINE;
    }

    /** What the rule about spare capacity saw, where the guide prints how idle threads are. */
    private static String spare(StoryStep step, CheckResult result) {
        return step.idle() < 0
                ? ""
                : result.findings().stream()
                        .filter(finding -> finding.rule() == RuleId.W1)
                        .map(Finding::observed)
                        .findFirst()
                        .orElse("");
    }

    private void say(String line) {
        Lines.wrap(line, terminal().width()).forEach(text()::println);
    }

    private static void write(Path file, List<Sample> samples) {
        try (Recording recording = Recording.to(file)) {
            samples.forEach(recording::add);
        } catch (SourceFailure failed) {
            throw new VerbFailure("--record: " + failed.getMessage(), failed);
        }
    }
}
