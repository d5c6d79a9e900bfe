package dev.laneway.orders;

import picocli.CommandLine.Command;

/** The order tracker: the verbs below it. */
@Command(
        name = "orders",
        header = "An order tracker on Kafka Streams and on Laneway, to size and to check.",
        synopsisSubcommandLabel = "VERB",
        footer = {"", "Example: laneway orders run --threads 2", "", "Exit codes: 0 fine, 1 failed, 2 usage."})
final class OrdersCommand {}
