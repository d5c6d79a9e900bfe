package dev.laneway.cli;

import dev.laneway.cli.program.Rules;
import dev.laneway.ops.plan.Instance;
import dev.laneway.ops.plan.KafkaSettings;
import dev.laneway.ops.plan.LocalState;
import dev.laneway.ops.plan.MeasuredWork;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code plan} that describe one instance, its settings and its state. */
final class InstanceOptions {
    private static final double MEGA = 1e6;
    private static final double MEBI = 1 << 20;
    private static final int USUAL_CONCURRENCY = 256;
    private static final double USUAL_RECORD_BYTES = 1_000;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "Records that a member handles at once (default: 256, or what a profile has).")
    private @Nullable Integer concurrency;

    @Option(
            names = "--reserve",
            paramLabel = "N",
            defaultValue = "0",
            description = "Records that a member holds (default: ${DEFAULT-VALUE}, as Laneway sizes it: 20,000, or 32"
                    + " for each worker).")
    private int reserve;

    @Option(
            names = "--buffer-mib",
            paramLabel = "MIB",
            defaultValue = "64",
            description = "Keys and values that a member holds, in MiB (default: ${DEFAULT-VALUE}).")
    private double bufferMib = 64;

    @Option(
            names = "--record-bytes",
            paramLabel = "N",
            description = "Key and value of a record (default: 1000, or what --from-run has).")
    private @Nullable Double recordBytes;

    @Option(
            names = "--max-poll-records",
            paramLabel = "N",
            defaultValue = "500",
            description = "The consumer's max.poll.records (default: ${DEFAULT-VALUE}).")
    private int maxPollRecords = 500;

    @Option(
            names = "--max-poll-interval",
            paramLabel = "TIME",
            defaultValue = "5m",
            description = "The consumer's max.poll.interval.ms (default: ${DEFAULT-VALUE}).")
    private Duration maxPollInterval = Duration.ofMinutes(5);

    @Option(
            names = "--disk-bytes",
            paramLabel = "N",
            defaultValue = "0",
            description = "What a record makes an instance read and write on its disk (default: ${DEFAULT-VALUE}).")
    private double diskBytes;

    @Option(names = "--volume-mb", paramLabel = "MB", description = "MB a second that an instance's volume allows.")
    private @Nullable Double volumeMb;

    @Option(
            names = "--machine-disk-mb",
            paramLabel = "MB",
            description = "MB a second that its machine allows for all its volumes; the lower of the two counts.")
    private @Nullable Double machineDiskMb;

    @Option(names = "--network-mb", paramLabel = "MB", description = "MB a second that its network allows.")
    private @Nullable Double networkMb;

    @Option(
            names = "--state-mb",
            paramLabel = "MB",
            defaultValue = "0",
            description = "State of all partitions, one copy, that a new member reads again (default:"
                    + " ${DEFAULT-VALUE}).")
    private double stateMb;

    @Option(
            names = "--restore-mb",
            paramLabel = "MB",
            defaultValue = "50",
            description = "MB a second in which it does (default: ${DEFAULT-VALUE}).")
    private double restoreMb = 50;

    @Option(
            names = "--stores",
            paramLabel = "N",
            defaultValue = "0",
            description = "RocksDB stores of all partitions, standby replicas included (default: ${DEFAULT-VALUE}).")
    private int stores;

    @Option(
            names = "--price",
            paramLabel = "N",
            defaultValue = "0",
            description = "What an instance costs in an hour (default: ${DEFAULT-VALUE}).")
    private double price;

    void check() {
        if (concurrency != null) {
            Rules.between("--concurrency", concurrency, 1, 1_000_000);
        }
        Rules.between("--reserve", reserve, 0, 1_000_000_000);
        Rules.atLeast("--buffer-mib", bufferMib, 0.001);
        Rules.between("--max-poll-records", maxPollRecords, 1, Integer.MAX_VALUE);
        Rules.positive("--max-poll-interval", maxPollInterval);
        Rules.atLeast("--disk-bytes", diskBytes, 0);
        Rules.atLeast("--state-mb", stateMb, 0);
        Rules.positive("--restore-mb", restoreMb);
        Rules.between("--stores", stores, 0, 10_000_000);
        Rules.atLeast("--price", price, 0);
        positive("--record-bytes", recordBytes);
        positive("--volume-mb", volumeMb);
        positive("--machine-disk-mb", machineDiskMb);
        positive("--network-mb", networkMb);
    }

    private static void positive(String option, @Nullable Double value) {
        if (value != null) {
            Rules.positive(option, value);
        }
    }

    Instance instance(@Nullable MeasuredWork measured) {
        int atOnce = concurrency != null
                ? concurrency
                : measured == null || measured.concurrency() == 0 ? USUAL_CONCURRENCY : measured.concurrency();
        return new Instance(
                atOnce, reserve, bufferMib * MEBI, bytes(volumeMb), bytes(machineDiskMb), bytes(networkMb), price);
    }

    private static double bytes(@Nullable Double mega) {
        return mega == null ? Double.POSITIVE_INFINITY : mega * MEGA;
    }

    KafkaSettings kafka() {
        return new KafkaSettings(maxPollRecords, (double) maxPollInterval.toNanos() / 1e9);
    }

    LocalState state() {
        return new LocalState(stateMb * MEGA, restoreMb * MEGA, stores);
    }

    double diskBytes() {
        return diskBytes;
    }

    double recordBytes(@Nullable MeasuredWork measured) {
        if (recordBytes != null) {
            return recordBytes;
        }
        return measured == null || measured.recordBytes() == 0 ? USUAL_RECORD_BYTES : measured.recordBytes();
    }
}
