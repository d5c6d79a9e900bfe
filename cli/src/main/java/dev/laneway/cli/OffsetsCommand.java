package dev.laneway.cli;

import picocli.CommandLine.Command;

/** What a group has committed: the verbs below it. */
@Command(
        name = "offsets",
        header = "What a consumer group has committed.",
        synopsisSubcommandLabel = "VERB",
        footer = {"", "Example: laneway offsets describe --group shop", "", "Exit codes: 0 fine, 1 failed, 2 usage."})
final class OffsetsCommand {}
