package dev.laneway.cli;

import picocli.CommandLine.Command;

/** What an autoscaler has decided: the verbs below it. */
@Command(
        name = "autoscale",
        header = "Run a scaling policy on a group; say what it decided, why, and what another would have.",
        synopsisSubcommandLabel = "VERB",
        footer = {
            "",
            "Example: laneway autoscale explain --log decisions.jsonl",
            "",
            "Exit codes: 0 fine, 1 failed, 2 usage."
        })
final class AutoscaleCommand {}
