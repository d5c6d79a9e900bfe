package dev.laneway.ills;

import dev.laneway.cli.program.Jvm;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.Network;
import dev.laneway.testkit.TcpProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A broker, what is written to it, and the members of a group: all that is started for an illness, and is gone again
 * after {@link #close()}. Used by one thread.
 */
public final class Setting implements AutoCloseable {
    /** From the last member's start until the illness has shown for a while. */
    static final Duration WARM_UP = Duration.ofSeconds(20);

    private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);
    private static final Duration JOIN_LOOK = Duration.ofMillis(250);
    private static final Duration LEAVE_LIMIT = Duration.ofSeconds(4);
    private static final String NETWORK = "thin";
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

    private final String group;
    private final Path directory;
    private final EmbeddedKafka kafka;
    private final List<Jvm> members = new ArrayList<>();
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final List<Thread> faults = new CopyOnWriteArrayList<>();
    private final List<TopicPartition> read = new ArrayList<>();
    private String bootstrap;
    private Duration warmUp = Duration.ZERO;
    private @Nullable Admin admin;

    private Setting(String group, Path directory, EmbeddedKafka kafka) {
        this.group = group;
        this.directory = directory;
        this.kafka = kafka;
        this.bootstrap = kafka.bootstrapServers();
    }

    /** Starts a broker. */
    static Setting open(String group) {
        Path directory = makeDirectory();
        try {
            return new Setting(
                    group, directory, EmbeddedKafka.builder().network(NETWORK).start());
        } catch (RuntimeException failed) {
            delete(directory);
            throw failed;
        }
    }

    /** Not among temporary files: state that lies there is an illness of its own. */
    private static Path makeDirectory() {
        Path home = Path.of(System.getProperty("user.home"), ".cache", "laneway");
        try {
            return Files.createTempDirectory(Files.createDirectories(home), "ill-");
        } catch (IOException failed) {
            throw new VerbFailure("cannot make a directory in " + home + ": " + failed, failed);
        }
    }

    /** The group's id. */
    public String group() {
        return group;
    }

    /** The address to give to {@code --bootstrap}. */
    public String bootstrap() {
        return bootstrap;
    }

    /** The members' processes that live. */
    public List<Long> pids() {
        return members.stream().filter(Jvm::isAlive).map(Jvm::pid).toList();
    }

    /** What the group shows from outside. */
    Vitals vitals() throws InterruptedException {
        Admin open = admin;
        if (open == null) {
            open = Admin.create(Map.of(
                    "bootstrap.servers", bootstrap, "default.api.timeout.ms", 3_000, "request.timeout.ms", 2_500));
            admin = open;
        }
        return Vitals.of(open, group, read);
    }

    EmbeddedKafka kafka() {
        return kafka;
    }

    /** Where members may write; deleted at the end. */
    Path directory() {
        return directory;
    }

    /** A network between broker and clients that can be disturbed. */
    Network network() {
        return kafka.network(NETWORK);
    }

    /** Makes the check, too, use the network that can be disturbed; before the first look. */
    void exposeNetwork() {
        bootstrap = network().bootstrapServers();
    }

    /** Makes a topic that the group reads. */
    void topic(String topic, int partitions) {
        topic(topic, partitions, Map.of());
    }

    /** Makes a topic that the group reads. */
    void topic(String topic, int partitions, Map<String, String> config) {
        kafka.createTopic(topic, partitions, 1, config);
        IntStream.range(0, partitions).forEach(number -> read.add(new TopicPartition(topic, number)));
    }

    /** Begins to write. */
    void load(Load.Plan plan) {
        parts.add(Load.start(kafka.bootstrapServers(), plan));
    }

    /** Starts a member that connects directly. */
    Jvm member(String kind, Map<String, Object> settings, String... jvmOptions) {
        return member(kind, kafka.bootstrapServers(), settings, jvmOptions);
    }

    /** Starts a member. */
    Jvm member(String kind, String address, Map<String, Object> settings, String... jvmOptions) {
        String name = "member-" + (members.size() + 1);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("kind", kind);
        all.put("bootstrap", address);
        all.put("group", group);
        all.put("client", name);
        all.put("topics", "work");
        all.put("state-dir", directory.resolve(name).toString());
        all.put("library-dir", directory.toString());
        all.putAll(settings);
        if (settings.containsKey("usual-state-dir")) {
            all.remove("state-dir");
        }
        List<String> options = new ArrayList<>(JVM_OPTIONS);
        options.addAll(jvmOptions.length == 0 ? List.of("-Xmx96m") : List.of(jvmOptions));
        options.add("--enable-native-access=ALL-UNNAMED");
        Jvm jvm = Jvm.start(
                Patient.class,
                options,
                all.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .toList(),
                log(name));
        members.add(jvm);
        return jvm;
    }

    private Path log(String name) {
        return directory.resolve(name + ".log");
    }

    /** Something else that ends with this. */
    <T extends AutoCloseable> T with(T part) {
        parts.add(part);
        return part;
    }

    /** Does something again and again until the end, by a thread of its own. */
    void every(Duration interval, Fault fault) {
        faults.add(Thread.ofPlatform().daemon().name("fault").start(() -> {
            try {
                while (true) {
                    Thread.sleep(interval);
                    fault.happen();
                }
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    /** Something that happens to a group. */
    interface Fault {
        void happen() throws InterruptedException;
    }

    /** Waits until the group has so many members, is stable, and has committed something. */
    void awaitMembers(int count) throws InterruptedException {
        long end = System.nanoTime() + JOIN_LIMIT.toNanos();
        Vitals seen = vitals();
        while (seen.members() < count || !seen.state().equals("Stable") || !seen.hasCommits()) {
            checkMembers();
            if (System.nanoTime() > end) {
                throw new VerbFailure("the members did not join within " + JOIN_LIMIT.toSeconds() + " s: " + seen);
            }
            Thread.sleep(JOIN_LOOK);
            seen = vitals();
        }
    }

    /** How long the illness needs to show, at least. */
    void warmUp(Duration time) {
        warmUp = time.compareTo(warmUp) > 0 ? time : warmUp;
    }

    /** Waits until the illness has shown for a while. */
    void settle() throws InterruptedException {
        Thread.sleep(warmUp);
        checkMembers();
    }

    private void checkMembers() {
        for (Jvm member : members) {
            if (!member.isAlive() && member.exitCode() == 1) {
                throw new VerbFailure("a member has ended: " + member.lastWords());
            }
        }
    }

    /** Ends everything, within 10 s, and deletes what was written. */
    @Override
    public void close() {
        faults.forEach(Thread::interrupt);
        network().all(TcpProxy::heal);
        members.forEach(Jvm::endInput);
        boolean interrupted = Thread.interrupted();
        long end = System.nanoTime() + LEAVE_LIMIT.toNanos();
        for (Jvm member : members) {
            try {
                if (!member.await(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
                    member.kill();
                    member.await(Duration.ofSeconds(1));
                }
            } catch (InterruptedException again) {
                interrupted = true;
                member.kill();
            }
        }
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception failed) {
                throw new IllegalStateException("cannot close " + part, failed);
            }
        }
        kafka.close();
        delete(directory);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Deletes a directory; members that were killed may have left anything in it. */
    static void delete(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> entries = Files.walk(directory)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(entry);
            }
        } catch (IOException failed) {
            throw new VerbFailure("cannot delete " + directory + ": " + failed, failed);
        }
    }
}
