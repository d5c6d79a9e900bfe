package dev.laneway.dashboard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What happened: rebalances, failures, changes of the verdict, and what users did. Keeps the latest. Thread-safe. */
final class Timeline {
    private static final int MOST = 100;
    /** What goes on is one entry for so long, with the sum. */
    private static final long ONE_ENTRY_MILLIS = 10_000;
    /** Counters whose growth is news, with what is told of one. */
    private static final Map<String, String> NEWS = news();

    private final Deque<Entry> entries = new ArrayDeque<>();
    private long next = 1;
    private @Nullable Frame before;

    /**
     * One thing that happened.
     *
     * @param number grows by one with each; one whose sum grows keeps it
     * @param kind {@code verdict}, {@code rebalance}, {@code failure} or {@code action}
     * @param counter whose growth it is; empty if it is none's
     */
    record Entry(long number, long atMillis, String kind, String text, String counter, long count) {}

    private static Map<String, String> news() {
        Map<String, String> news = new LinkedHashMap<>();
        news.put("rebalances", "rebalance");
        news.put("failedAttempts", "failed attempt");
        news.put("deadLettered", "dead letter");
        news.put("skipped", "skipped record");
        news.put("failedCommits", "failed commit");
        news.put("dropped", "record dropped in flight");
        news.put("archived", "record given up by the broker");
        news.put("lost", "record gone from the log before its turn");
        return news;
    }

    /** Compares a frame with the one before. */
    synchronized void add(Frame frame) {
        Frame last = before;
        before = frame;
        if (last == null || !last.verdict().isLike(frame.verdict())) {
            add(frame.atMillis(), "verdict", frame.verdict().sentence());
        }
        if (last == null) {
            return;
        }
        if (!last.state().equals(frame.state())) {
            add(frame.atMillis(), "rebalance", "state " + frame.state() + ", was " + last.state());
        }
        NEWS.forEach((name, words) -> {
            long more =
                    frame.counters().getOrDefault(name, 0L) - last.counters().getOrDefault(name, 0L);
            if (more > 0) {
                count(frame.atMillis(), name, words, more);
            }
        });
        int members = frame.members().size();
        if (last.members().size() != members) {
            add(
                    frame.atMillis(),
                    "rebalance",
                    members + " members, were " + last.members().size());
        }
    }

    /** Somebody did something. */
    synchronized void action(long atMillis, String text) {
        add(atMillis, "action", text);
    }

    private void count(long atMillis, String counter, String words, long more) {
        String kind = counter.equals("rebalances") ? "rebalance" : "failure";
        for (Entry entry : entries) {
            if (entry.counter.equals(counter) && atMillis - entry.atMillis < ONE_ENTRY_MILLIS) {
                long sum = entry.count + more;
                entries.remove(entry);
                keep(new Entry(entry.number, entry.atMillis, kind, text(sum, words), counter, sum));
                return;
            }
        }
        keep(new Entry(next++, atMillis, kind, text(more, words), counter, more));
    }

    private static String text(long count, String words) {
        return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? words : plural(words));
    }

    private static String plural(String words) {
        return words.startsWith("record ") ? words.replaceFirst("record", "records") : words + "s";
    }

    private void add(long atMillis, String kind, String text) {
        keep(new Entry(next++, atMillis, kind, text, "", 1));
    }

    private void keep(Entry entry) {
        if (entries.size() == MOST) {
            entries.removeFirst();
        }
        entries.addLast(entry);
    }

    /** In the order of their numbers. */
    synchronized List<Entry> entries() {
        List<Entry> all = new ArrayList<>(entries);
        all.sort((one, other) -> Long.compare(one.number, other.number));
        return all;
    }
}
