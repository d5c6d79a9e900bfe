package dev.laneway.proof;

import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the journals of members of a share group against the input: each record ends well at least once, or the broker
 * has given it up and a member has logged that or died with it at its last delivery; what the broker has confirmed as
 * done is never delivered again. A member that was frozen or cut off may start an earlier delivery late, which the
 * delivery count shows. Not thread-safe.
 *
 * <p>A duplicate is explained if its earlier member was killed, closed before the broker had confirmed it, or lost the
 * lock: the broker refused it, or a fault cut the member off.
 */
final class ShareAudit implements Runs {
    /** The log line about records that a member had at their last delivery and did not finish. */
    private static final Pattern GIVEN_UP = Pattern.compile(
            "the broker gives up \\d+ records of " + ChaosPlan.TOPIC + "-(\\d+), from .* at offsets \\[([\\d, ]*)]");

    private final List<Fault> faults;
    private final int deliveryLimit;
    private final Findings findings;
    private final Map<ChaosAudit.Why, Long> explained = new EnumMap<>(ChaosAudit.Why.class);
    /** By partition and offset: when the broker had confirmed that it is done; {@link Long#MAX_VALUE} if it had not. */
    private final long[][] accepted;
    /** By partition and offset: the number of the delivery that was confirmed. */
    private final int[][] acceptedDelivery;
    /** By record: the handlers that ended well. */
    private final Map<Long, List<Run>> runs = new HashMap<>();
    /** By record: the latest start. */
    private final Map<Long, Start> starts = new HashMap<>();
    /** Records of members whose acknowledgement the broker has refused. */
    private final Set<String> refused = new HashSet<>();
    /** When members began to close. */
    private final Map<String, Long> closings = new HashMap<>();

    private final Set<Long> named = new HashSet<>();
    private final Set<Long> givenUp = new HashSet<>();
    private long acknowledgements;
    private long good;

    private record Run(ChaosMembers.Life life, long fromMicros) {}

    private record Start(ChaosMembers.Life life, long micros, int delivery) {}

    ShareAudit(SourceLog source, List<Fault> faults, int deliveryLimit, Findings findings) {
        this.faults = List.copyOf(faults);
        this.deliveryLimit = deliveryLimit;
        this.findings = findings;
        this.accepted = new long[source.partitions()][];
        this.acceptedDelivery = new int[source.partitions()][];
        for (int partition = 0; partition < accepted.length; partition++) {
            accepted[partition] = new long[source.end(partition)];
            Arrays.fill(accepted[partition], Long.MAX_VALUE);
            acceptedDelivery[partition] = new int[source.end(partition)];
        }
    }

    /** Reads the journals of all lives, and what they logged. */
    void replay(List<ChaosMembers.Life> lives) {
        for (ChaosMembers.Life life : lives) {
            Map<Long, Integer> deliveries = new HashMap<>();
            life.read(note -> takeAnswer(life, note, deliveries));
        }
        for (ChaosMembers.Life life : lives) {
            Map<Long, Long> running = new HashMap<>();
            life.read(note -> takeRun(life, note, running));
            readNamed(life.log());
        }
    }

    private static long id(int partition, long offset) {
        return ((long) partition << 40) | offset;
    }

    private void takeAnswer(ChaosMembers.Life life, Note note, Map<Long, Integer> deliveries) {
        if (note instanceof Note.Started(long _, int partition, long offset, int delivery)) {
            deliveries.put(id(partition, offset), delivery);
        } else if (note instanceof Note.Accepted(long micros, int partition, long offset)) {
            acknowledgements++;
            int at = Math.toIntExact(offset);
            if (micros < accepted[partition][at]) {
                accepted[partition][at] = micros;
                acceptedDelivery[partition][at] = deliveries.getOrDefault(id(partition, offset), 0);
            }
        } else if (note instanceof Note.Refused(long _, int partition, long offset)) {
            refused.add(id(partition, offset) + life.name());
        } else if (note instanceof Note.Closing(long micros)) {
            closings.put(life.name(), micros);
        }
    }

    private void takeRun(ChaosMembers.Life life, Note note, Map<Long, Long> running) {
        if (note instanceof Note.Started(long micros, int partition, long offset, int delivery)) {
            long id = id(partition, offset);
            running.put(id, micros);
            Start before = starts.get(id);
            if (before == null || before.micros < micros) {
                starts.put(id, new Start(life, micros, delivery));
            }
            int at = Math.toIntExact(offset);
            long confirmed = accepted[partition][at];
            boolean late = delivery < acceptedDelivery[partition][at] && wasSilent(life, confirmed, micros);
            if (micros > confirmed && !late) {
                findings.add(
                        Findings.Kind.STARTS_OF_DONE_RECORDS,
                        partition + "@" + offset + " at " + life.name() + ", " + (micros - confirmed)
                                + " us after the broker had confirmed it");
            }
        } else if (note instanceof Note.Ended(long _, int partition, long offset, Note.Ended.How how)) {
            long id = id(partition, offset);
            Long from = running.remove(id);
            if (how == Note.Ended.How.DONE && from != null) {
                good++;
                runs.computeIfAbsent(id, first -> new ArrayList<>(1)).add(new Run(life, from));
            }
        }
    }

    private void readNamed(Path log) {
        if (!Files.exists(log)) {
            return;
        }
        try {
            String said = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
            for (Matcher line = GIVEN_UP.matcher(said); line.find(); ) {
                for (String offset : line.group(2).split(", ", -1)) {
                    named.add(id(Integer.parseInt(line.group(1)), Long.parseLong(offset)));
                }
            }
        } catch (IOException unreadable) {
            throw new VerbFailure("cannot read the log " + log + ": " + unreadable, unreadable);
        }
    }

    /** Looks at all lives together. */
    void finish() {
        for (Map.Entry<Long, List<Run>> entry : runs.entrySet()) {
            List<Run> all = entry.getValue();
            all.sort(Comparator.comparingLong(Run::fromMicros));
            for (int i = 1; i < all.size(); i++) {
                explain(entry.getKey(), all.get(i - 1), all.get(i));
            }
        }
        for (int partition = 0; partition < accepted.length; partition++) {
            for (int offset = 0; offset < accepted[partition].length; offset++) {
                if (!runs.containsKey(id(partition, offset)) && mayBeGivenUp(id(partition, offset))) {
                    givenUp.add(id(partition, offset));
                }
            }
        }
    }

    private void explain(long id, Run earlier, Run later) {
        ChaosAudit.Why why = why(id, earlier, later);
        if (why == null) {
            findings.add(
                    Findings.Kind.UNEXPLAINED_DUPLICATES,
                    (id >>> 40) + "@" + (id & ((1L << 40) - 1)) + " by " + earlier.life.name() + " and "
                            + later.life.name());
        } else {
            explained.merge(why, 1L, Long::sum);
        }
    }

    private ChaosAudit.@Nullable Why why(long id, Run earlier, Run later) {
        return switch (earlier.life.ending()) {
            case KILLED, FAILED -> ChaosAudit.Why.KILLED;
            case STOPPED -> {
                if (refused.contains(id + earlier.life.name())
                        || isHindered(earlier.life, earlier.fromMicros, later.fromMicros)) {
                    yield ChaosAudit.Why.LOST;
                }
                yield closings.getOrDefault(earlier.life.name(), Long.MAX_VALUE) < later.fromMicros
                        ? ChaosAudit.Why.DRAIN_LIMIT
                        : null;
            }
        };
    }

    /**
     * Whether a member was frozen or cut off, so that it may not know that its lock has ended and another member has
     * the record.
     */
    private boolean wasSilent(ChaosMembers.Life life, long confirmedMicros, long untilMicros) {
        long from = confirmedMicros - ChaosPlan.LOCK.toNanos() / 1_000;
        return faults.stream()
                .anyMatch(fault -> fault.kind().isUnnoticed()
                        && fault.hinders(life.member())
                        && fault.overlaps(from, untilMicros));
    }

    private boolean isHindered(ChaosMembers.Life life, long from, long to) {
        return faults.stream().anyMatch(fault -> fault.hinders(life.member()) && fault.overlaps(from, to));
    }

    /** Whether the broker has given a record up and a member has said so, or died with it at its last delivery. */
    private boolean mayBeGivenUp(long id) {
        Start last = starts.get(id);
        return named.contains(id)
                || (last != null
                        && last.delivery >= deliveryLimit
                        && last.life.ending() != ChaosMembers.Ending.STOPPED);
    }

    @Override
    public int runs(int partition, long offset, String member) {
        return (int) runs.getOrDefault(id(partition, offset), List.of()).stream()
                .filter(run -> run.life.name().equals(member))
                .count();
    }

    /** There is no order. */
    @Override
    public boolean hasOrder(int partition, String member) {
        return false;
    }

    @Override
    public boolean isGivenUp(int partition, long offset) {
        return givenUp.contains(id(partition, offset));
    }

    @Override
    public Account account() {
        return new Account(0, 0, acknowledgements, good, givenUp.size(), explained);
    }
}
