package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** What the consumers of the group told of themselves, put together by client. Immutable. */
final class ClientPicture {
    static final String CONSUMER = "consumer-metrics";
    static final String COORDINATOR = "consumer-coordinator-metrics";
    static final String FETCHER = "consumer-fetch-manager-metrics";
    static final String PRODUCER = "producer-metrics";

    /** The network thread of the consumer of KIP-848: this metric is nobody else's. */
    private static final String ASYNC = "time-between-network-thread-poll-avg";

    private static final double POLLING_SECONDS = 5;
    /** So much more than is committed may have been given. */
    private static final double GIVEN_SHARE = 1.5;

    /** What a poll brings by default. */
    static final double GIVEN = 500;

    final List<Client> clients;
    private final Observations seen;

    private ClientPicture(Observations seen, List<Client> clients) {
        this.seen = seen;
        this.clients = List.copyOf(clients);
    }

    /** One consumer of one process. */
    record Client(Observations seen, String source, String id) {
        OptionalDouble last(String group, String name) {
            return one(group, name).map(Series::last).map(OptionalDouble::of).orElse(OptionalDouble.empty());
        }

        OptionalDouble max(String group, String name) {
            return one(group, name).map(Series::max).map(OptionalDouble::of).orElse(OptionalDouble.empty());
        }

        double growth(String group, String name) {
            return one(group, name).map(Series::growth).orElse(0.0);
        }

        Optional<Series> one(String group, String name) {
            return seen.one(source, Metric.of(group, name, Map.of("client-id", id)));
        }

        /**
         * The share of its time that its thread waits for records, at the end of the time. Kafka's ratio is the time in
         * poll against that plus the whole cycle, so the true one is r / (1 - r): KAFKA-17503.
         */
        OptionalDouble idle() {
            OptionalDouble ratio = last(CONSUMER, "poll-idle-ratio-avg");
            return ratio.isEmpty() || ratio.getAsDouble() >= 1
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(Math.min(1, ratio.getAsDouble() / (1 - ratio.getAsDouble())));
        }

        /** Whether it polled all the while. */
        boolean isPolling() {
            OptionalDouble ago = max(CONSUMER, "last-poll-seconds-ago");
            return ago.isPresent() && ago.getAsDouble() >= 0 && ago.getAsDouble() < POLLING_SECONDS;
        }

        /** Records that it was given while it was watched. */
        double given() {
            return growth(FETCHER, "records-consumed-total");
        }

        /** Whether it was given what it did, and nothing again and again; but for what a poll brings. */
        boolean givesOnce(double done) {
            return done == 0 ? given() == 0 : given() <= GIVEN_SHARE * done + GIVEN;
        }

        /** Whether it is the member with this id. */
        boolean isMember(String member) {
            return seen.all(Groups.MEMBER, "assigned-partitions").stream()
                    .map(Series::metric)
                    .anyMatch(metric -> metric.tag("member-id").equals(member)
                            && metric.tag("client-id").equals(id));
        }

        boolean isAsync() {
            return one(CONSUMER, ASYNC).isPresent();
        }

        /** A setting in milliseconds; what is no number is as good as not told. */
        double millis(String key, double usual) {
            String told = config(key, "");
            return told.matches("\\d{1,12}") ? Double.parseDouble(told) : usual;
        }

        String config(String key, String usual) {
            return seen.text(Metric.of(Groups.CONFIG, key, Map.of("client-id", id)))
                    .or(() -> seen.text(Metric.of(Groups.CONFIG, key)))
                    .orElse(usual);
        }

        boolean knows(String key) {
            return !config(key, "").isEmpty();
        }

        @Override
        public String toString() {
            return id + " (" + source + ")";
        }
    }

    static ClientPicture of(Observations seen) {
        List<Client> clients = new ArrayList<>();
        for (Series poll : seen.all(CONSUMER, "last-poll-seconds-ago")) {
            String id = poll.metric().tag("client-id");
            // Those of Kafka Streams that read state again, and Laneway's that read spilled records, have no group.
            if (seen.one(poll.source(), Metric.of(COORDINATOR, "rebalance-total", Map.of("client-id", id)))
                    .isPresent()) {
                clients.add(new Client(seen, poll.source(), id));
            }
        }
        return new ClientPicture(seen, clients);
    }

    /** The one that is this member; empty if its process is not seen. */
    Optional<Client> ofMember(String member) {
        return clients.stream().filter(client -> client.isMember(member)).findFirst();
    }

    boolean isSeen() {
        return !clients.isEmpty();
    }

    /** How many consumers a process has. */
    long in(String source) {
        return clients.stream().filter(client -> client.source().equals(source)).count();
    }

    /** The processor time that a process took, as a share of all that it may have; empty if not known. */
    OptionalDouble processorShare(String source) {
        Optional<Series> told = seen.one(source, Metric.of(Groups.JVM, "process-cpu-share"));
        if (told.isPresent()) {
            return OptionalDouble.of(told.get().mean());
        }
        Optional<Series> cpu = seen.one(source, Metric.of(Groups.JVM, "process-cpu-ns-total"));
        OptionalDouble cores = cores(source);
        return cpu.isEmpty() || cores.isEmpty() || Double.isNaN(cpu.get().rate())
                ? OptionalDouble.empty()
                : OptionalDouble.of(cpu.get().rate() / 1e9 / cores.getAsDouble());
    }

    /** How many processors a process may use; empty if not known. */
    OptionalDouble cores(String source) {
        double jvm = seen.one(source, Metric.of(Groups.JVM, "available-processors"))
                .map(Series::last)
                .orElse(Double.NaN);
        double quota = seen.one(source, Metric.of(Groups.CGROUP, "cpu-cores"))
                .map(Series::last)
                .orElse(Double.NaN);
        double cores = Double.isNaN(quota) ? jvm : Double.isNaN(jvm) ? quota : Math.min(quota, jvm);
        return Double.isNaN(cores) || cores <= 0 ? OptionalDouble.empty() : OptionalDouble.of(cores);
    }

    /** The share of stack samples of a process's consuming threads that found them in a call to something else. */
    OptionalDouble externalShare(String source) {
        double all = grown(source, "samples-total");
        return all == 0 ? OptionalDouble.empty() : OptionalDouble.of(grown(source, "waiting-samples-total") / all);
    }

    private double grown(String source, String name) {
        return seen.all(Groups.THREADS, name, series -> series.source().equals(source)).stream()
                .mapToDouble(Series::growth)
                .sum();
    }

    List<String> sources() {
        return Stream.concat(
                        clients.stream().map(Client::source),
                        LanewayPicture.of(seen).stream().map(LanewayPicture.Member::source))
                .distinct()
                .toList();
    }
}
