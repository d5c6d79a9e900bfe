package dev.laneway.proof;

import dev.laneway.Backoff;
import dev.laneway.CommitMode;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.Ordering;
import dev.laneway.Outcome;
import dev.laneway.RebalanceListener;
import dev.laneway.RecordContext;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Parent;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.CopyHeaders;
import dev.laneway.cli.workload.Payload;
import dev.laneway.cli.workload.Simulated;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * One member of the group of {@link ChaosCommand}, as a process: copies each record to another topic and keeps a
 * journal. Hidden, since it is of no use alone.
 */
@Command(name = "member", hidden = true, header = "Run one member of a chaos run until a signal or the end of input.")
final class MemberCommand extends Verb {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration COMMIT_INTERVAL = Duration.ofMillis(500);
    private static final Duration BACKOFF = Duration.ofMillis(50);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(1);

    @Mixin
    private Connection connection = new Connection();

    @Option(names = "--name", paramLabel = "NAME", required = true, description = "Its name in threads and headers.")
    private String name = "";

    @Option(names = "--journal", paramLabel = "FILE", required = true, description = "What it notes.")
    private Path file = Path.of("");

    @Option(names = "--concurrency", paramLabel = "N", required = true, description = "How many handlers run at once.")
    private int concurrency;

    @Option(names = "--work", paramLabel = "TIME", required = true, description = "How long a handler takes, mean.")
    private Duration work = Duration.ZERO;

    @Option(names = "--transactional-id", paramLabel = "ID", description = "Process exactly-once, by this name.")
    private @Nullable String transactionalId;

    @Option(names = "--share", description = "Be a member of a share group.")
    private boolean share;

    @Option(names = "--passing", description = "Read the topic that is deleted and created again, too.")
    private boolean passing;

    MemberCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Rules.named("--name", name);
        Rules.between("--concurrency", concurrency, 1, 1_000_000);
    }

    @Override
    protected int run() throws InterruptedException {
        stop().limit(ChaosPlan.CLOSE_LIMIT.plusSeconds(45));
        Thread.ofPlatform().name("laneway-parent").daemon().start(() -> {
            Parent.awaitEnd(System.in);
            stop().request();
        });
        try (Journal journal = new Journal(file)) {
            Laneway running = start(journal);
            try {
                while (!stop().await(LOOK) && !running.state().isTerminal()) {
                    // Works.
                }
            } finally {
                journal.add(Note.Closing::new);
                running.close();
            }
            running.failure().ifPresent(failure -> {
                throw new VerbFailure(String.valueOf(failure.getMessage()), failure);
            });
        }
        return Program.FINE;
    }

    private Laneway start(Journal journal) {
        return (share ? shares(journal) : consumes(journal))
                .subscribe(passing ? List.of(ChaosPlan.TOPIC, ChaosPlan.PASSING) : List.of(ChaosPlan.TOPIC))
                .name(name)
                .concurrency(concurrency)
                .onFailure(FailurePolicy.retry(Backoff.exponential(BACKOFF, LONGEST_BACKOFF), Integer.MAX_VALUE))
                .closeLimit(ChaosPlan.CLOSE_LIMIT)
                .closeOnShutdown(false)
                .process((ConsumerRecord<byte[], byte[]> record, RecordContext context) ->
                        handle(journal, record, context));
    }

    private LanewayBuilder<byte[], byte[]> consumes(Journal journal) {
        Witness witness = new Witness(journal);
        Map<String, Object> config = new HashMap<>(Map.of(
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                ConsumerConfig.GROUP_ID_CONFIG, ChaosPlan.GROUP,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false"));
        config.putAll(connection.kafkaConfig(Connection.LOCAL));
        if (transactionalId != null) {
            config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        }
        if (!"consumer".equalsIgnoreCase(String.valueOf(config.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG)))) {
            config.putIfAbsent(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, Math.toIntExact(ChaosPlan.SESSION.toMillis()));
            config.putIfAbsent(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 1_000);
        }
        LanewayBuilder<byte[], byte[]> builder = Laneway.consumer(
                        config,
                        () -> witness.of(
                                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())))
                .ordering(Ordering.KEY)
                .drainLimit(ChaosPlan.DRAIN_LIMIT)
                .onRebalance(new Noting(journal));
        return transactionalId == null
                ? builder.commit(CommitMode.async(COMMIT_INTERVAL)).producer(() -> witness.of(producer(config)))
                // The engine makes its producers itself, so they have no proxy.
                : builder.exactlyOnce(transactionalId);
    }

    private LanewayBuilder<byte[], byte[]> shares(Journal journal) {
        ShareWitness witness = new ShareWitness(journal);
        Witness copies = new Witness(journal);
        Map<String, Object> config = new HashMap<>(Map.of(
                ConsumerConfig.GROUP_ID_CONFIG,
                ChaosPlan.GROUP,
                ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG,
                "explicit",
                ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG,
                "record_limit",
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                concurrency));
        config.putAll(connection.kafkaConfig(Connection.LOCAL));
        return Laneway.shareConsumer(
                        config,
                        () -> witness.of(new KafkaShareConsumer<>(
                                config, new ByteArrayDeserializer(), new ByteArrayDeserializer())))
                .commit(CommitMode.async(COMMIT_INTERVAL))
                .producer(() -> copies.of(producer(config)));
    }

    /** Like the one that the engine would make. */
    private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> consumerConfig) {
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                consumerConfig.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG),
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                "true",
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                1);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private Outcome handle(Journal journal, ConsumerRecord<byte[], byte[]> record, RecordContext context)
            throws InterruptedException {
        if (record.topic().equals(ChaosPlan.PASSING)) {
            Simulated.work(work);
            journal.add(now -> new Note.Passed(now, Payload.of(record.value()).index()));
            return Outcome.done();
        }
        int partition = record.partition();
        long offset = record.offset();
        int attempt = record.deliveryCount().map(Short::intValue).orElse(context.attempt());
        long started = journal.add(now -> new Note.Started(now, partition, offset, attempt));
        Note.Ended.How[] how = {Note.Ended.How.INTERRUPTED};
        try {
            Simulated.work(workOf(partition, offset));
            if (Simulated.fails(ChaosPlan.FAIL_SHARE, partition, offset, context.attempt())) {
                how[0] = Note.Ended.How.FAILED;
                throw new Simulated.Failure(context.attempt());
            }
            how[0] = Note.Ended.How.DONE;
        } finally {
            journal.add(now -> new Note.Ended(now, partition, offset, how[0]));
        }
        ProducerRecord<byte[], byte[]> copy = CopyHeaders.copy(record, context, ChaosPlan.COPIES);
        Witness.mark(copy, started);
        return Outcome.emit(List.of(copy));
    }

    /** Zero to twice the mean, and for a few records longer than the drain limit; the same in each run. */
    private Duration workOf(int partition, long offset) {
        double chance = Simulated.chance(partition, offset, 0);
        return chance < ChaosPlan.SLOW_SHARE
                ? ChaosPlan.SLOW_WORK
                : Duration.ofNanos((long) (2 * chance * work.toNanos()));
    }

    /** Notes changes of the assignment. */
    private record Noting(Journal journal) implements RebalanceListener {
        private static List<TopicPartition> noted(Collection<TopicPartition> partitions) {
            return partitions.stream().filter(Witness::isNoted).toList();
        }

        @Override
        public void onAssigned(Collection<TopicPartition> partitions) {
            noted(partitions).forEach(id -> journal.add(now -> new Note.Assigned(now, id.partition())));
        }

        @Override
        public void onRevoked(Collection<TopicPartition> partitions) {
            noted(partitions).forEach(id -> journal.add(now -> new Note.Revoked(now, id.partition())));
        }

        @Override
        public void onLost(Collection<TopicPartition> partitions) {
            noted(partitions).forEach(id -> journal.add(now -> new Note.Lost(now, id.partition())));
        }
    }
}
