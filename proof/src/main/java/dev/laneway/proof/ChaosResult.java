package dev.laneway.proof;

import dev.laneway.cli.program.Round;
import dev.laneway.cli.program.Text;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a chaos run has found, for people and as JSON. Made when all is over; immutable then.
 *
 * @param sourceFaults records that the input itself lacks, has twice or out of order
 * @param faults how often each was made
 * @param passingRecords what the topic that is deleted and created again held in the end
 * @param stalled whether commits stopped before they reached the ends
 * @param allEnded whether all members ended within the limit after SIGTERM
 * @param failures members that ended by themselves or with a failure, with the end of their output
 */
record ChaosResult(
        ChaosPlan plan,
        Duration took,
        long produced,
        long sourceFaults,
        Map<Fault.Kind, Long> faults,
        Runs.Account account,
        long copies,
        long passingRecords,
        Findings findings,
        boolean committedEqualsEnd,
        boolean stalled,
        boolean allEnded,
        List<String> failures) {

    /** Whether all that was promised holds. */
    boolean isFine() {
        return findings.isEmpty()
                && sourceFaults == 0
                && committedEqualsEnd
                && !stalled
                && allEnded
                && failures.isEmpty();
    }

    private long made(Fault.Kind kind) {
        return faults.getOrDefault(kind, 0L);
    }

    private long duplicates() {
        long explained = 0;
        for (ChaosAudit.Why why : ChaosAudit.Why.values()) {
            explained += account.explained(why);
        }
        return explained + findings.count(Findings.Kind.UNEXPLAINED_DUPLICATES);
    }

    Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("fine", isFine());
        json.put("mode", plan.mode().label());
        json.put("seed", plan.seed());
        json.put("minutes", Round.to3(plan.duration().toNanos() / 60e9));
        json.put("brokers", plan.brokers());
        json.put("members", plan.members());
        json.put("partitions", plan.partitions());
        json.put("keys", plan.keys());
        json.put("seconds", Round.to3(took.toNanos() / 1e9));
        json.put("records", produced);
        json.put("source_faults", sourceFaults);
        for (Fault.Kind kind : Fault.Kind.values()) {
            json.put(kind.label(), made(kind));
        }
        json.put("assignments", account.assignments());
        json.put("lost_partitions", account.lostPartitions());
        json.put("commits", account.commits());
        json.put("runs", account.runs());
        json.put("copies", copies);
        json.put("passing_records", passingRecords);
        json.put("given_up", account.givenUp());
        json.put("duplicates", duplicates());
        json.put("duplicates_killed", account.explained(ChaosAudit.Why.KILLED));
        json.put("duplicates_lost", account.explained(ChaosAudit.Why.LOST));
        json.put("duplicates_drain_limit", account.explained(ChaosAudit.Why.DRAIN_LIMIT));
        json.put("duplicates_failed_commit", account.explained(ChaosAudit.Why.FAILED_COMMIT));
        json.put("duplicates_aborted", account.explained(ChaosAudit.Why.ABORTED));
        for (Findings.Kind kind : Findings.Kind.values()) {
            json.put(kind.label(), findings.count(kind));
        }
        json.put("committed_equals_end", committedEqualsEnd);
        json.put("stalled", stalled);
        json.put("all_ended", allEnded);
        json.put("member_failures", failures.size());
        json.put("examples", findings.examples());
        return json;
    }

    void print(PrintStream text) {
        BiConsumer<String, String> row = (name, value) -> text.printf("%-26s %s%n", name, value);
        text.println();
        row.accept("records", Text.count(produced) + " in, " + Text.count(copies) + " copies");
        StringBuilder list = new StringBuilder();
        for (Fault.Kind kind : Fault.Kind.values()) {
            if (made(kind) > 0) {
                list.append(list.isEmpty() ? "" : ", ")
                        .append(made(kind))
                        .append(' ')
                        .append(kind.words());
            }
        }
        row.accept("faults", list.isEmpty() ? "none" : list.toString());
        row.accept(
                "assignments",
                Text.count(account.assignments()) + " of a partition, " + Text.count(account.lostPartitions())
                        + " lost");
        row.accept(
                "duplicates",
                Text.count(duplicates()) + ": " + Text.count(account.explained(ChaosAudit.Why.KILLED)) + " of killed, "
                        + Text.count(account.explained(ChaosAudit.Why.LOST)) + " of lost, "
                        + Text.count(account.explained(ChaosAudit.Why.DRAIN_LIMIT)) + " by the drain limit, "
                        + Text.count(account.explained(ChaosAudit.Why.FAILED_COMMIT)) + " by a failed commit, "
                        + Text.count(account.explained(ChaosAudit.Why.ABORTED))
                        + " by transactions that were not committed");
        if (plan.mode() == ChaosPlan.Mode.SHARE) {
            row.accept("given up by the broker", Text.count(account.givenUp()));
        }
        row.accept("commits checked", Text.count(account.commits()));
        for (Findings.Kind kind : Findings.Kind.values()) {
            row.accept(kind.label().replace('_', ' '), Text.count(findings.count(kind)));
        }
        row.accept("faults of the input", Text.count(sourceFaults));
        row.accept("committed = end", committedEqualsEnd ? "yes" : stalled ? "no, and nothing moved any more" : "no");
        row.accept("members that failed", Text.count(failures.size()) + (allEnded ? "" : ", and some did not end"));
        findings.examples().forEach(text::println);
        text.println(isFine() ? "All is well" : "NOT all is well");
    }
}
