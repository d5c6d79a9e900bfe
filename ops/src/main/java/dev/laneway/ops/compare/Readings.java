package dev.laneway.ops.compare;

import dev.laneway.ops.scale.ArrivalTrend;
import dev.laneway.ops.simulate.GroupDetail;
import dev.laneway.ops.simulate.Tick;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** What was seen of a group in the last minutes: rates over a window. Used by one thread. */
final class Readings {
    private final double keptSeconds;
    private final Deque<Reading> readings = new ArrayDeque<>();

    /** One look; counts are from the start. Immutable. */
    private static final class Reading {
        private final double seconds;
        private final long[] appended;
        private final long[] done;
        private final double[] busySeconds;

        Reading(double seconds, long[] appended, long[] done, double[] busySeconds) {
            this.seconds = seconds;
            this.appended = appended;
            this.done = done;
            this.busySeconds = busySeconds;
        }
    }

    /** @param keptSeconds the longest window that is asked for */
    Readings(double keptSeconds) {
        this.keptSeconds = keptSeconds;
    }

    void add(Tick tick, GroupDetail detail) {
        int partitions = detail.partitions();
        long[] appended = new long[partitions];
        long[] done = new long[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            appended[partition] = detail.appended(partition);
            done[partition] = detail.done(partition);
        }
        double[] busy = new double[tick.members()];
        for (int member = 0; member < busy.length; member++) {
            busy[member] = detail.busySeconds(member);
        }
        readings.addLast(new Reading(tick.seconds(), appended, done, busy));
        while (readings.getFirst().seconds < tick.seconds() - keptSeconds) {
            readings.removeFirst();
        }
    }

    /** How the load has changed with the last looks, of a window of so many seconds. */
    ArrivalTrend trend(double seconds) {
        List<Reading> seen = readings.stream()
                .filter(each -> each.seconds >= readings.getLast().seconds - seconds - 1e-6)
                .toList();
        int last = seen.size() - 1;
        return last < 3
                ? ArrivalTrend.NONE
                : ArrivalTrend.of(
                        came(seen.getFirst(), seen.get(last - 2)),
                        came(seen.get(last - 2), seen.get(last - 1)),
                        came(seen.get(last - 1), seen.get(last)));
    }

    private static ArrivalTrend.Count came(Reading from, Reading to) {
        long records = 0;
        for (int partition = 0; partition < to.appended.length; partition++) {
            records += to.appended[partition] - from.appended[partition];
        }
        return new ArrivalTrend.Count(records, to.seconds - from.seconds);
    }

    /** For how long the next record of the partition that is furthest behind waits, as lag is told in seconds. */
    double longestWaitSeconds() {
        Reading last = readings.getLast();
        double longest = 0;
        for (int partition = 0; partition < last.done.length; partition++) {
            longest = Math.max(longest, last.seconds - cameAt(partition, last.done[partition], last));
        }
        return longest;
    }

    /** When a record had come: between two looks at an even pace. */
    private double cameAt(int partition, long record, Reading last) {
        if (record >= last.appended[partition]) {
            return last.seconds;
        }
        Reading before = null;
        for (Reading each : readings) {
            if (each.appended[partition] > record) {
                return before == null
                        ? each.seconds
                        : before.seconds
                                + (each.seconds - before.seconds)
                                        * (record - before.appended[partition])
                                        / (each.appended[partition] - before.appended[partition]);
            }
            before = each;
        }
        return last.seconds;
    }

    /** Forgets all but the last look. */
    void restart() {
        while (readings.size() > 1) {
            readings.removeFirst();
        }
    }

    /** Of the last so many seconds, or as many as were seen. */
    Rates over(double seconds) {
        Reading last = readings.getLast();
        Reading first = last;
        for (Reading each : readings) {
            if (each.seconds >= last.seconds - seconds - 1e-6) {
                first = each;
                break;
            }
        }
        return rates(first, last);
    }

    private static Rates rates(Reading first, Reading last) {
        double span = last.seconds - first.seconds;
        int partitions = last.appended.length;
        double[] append = new double[partitions];
        double[] lag = new double[partitions];
        double[] grown = new double[partitions];
        double done = 0;
        for (int partition = 0; partition < partitions; partition++) {
            lag[partition] = (double) (last.appended[partition] - last.done[partition]);
            grown[partition] = lag[partition] - (double) (first.appended[partition] - first.done[partition]);
            if (span > 0) {
                append[partition] = (double) (last.appended[partition] - first.appended[partition]) / span;
                done += (double) (last.done[partition] - first.done[partition]) / span;
            }
        }
        double busiest = 0;
        double busy = 0;
        for (int member = 0; member < last.busySeconds.length && span > 0; member++) {
            double before = member < first.busySeconds.length ? first.busySeconds[member] : 0;
            double share = Math.min(1, (last.busySeconds[member] - before) / span);
            busiest = Math.max(busiest, share);
            busy += share;
        }
        return new Rates(span, append, lag, sum(grown), done, busy, busiest);
    }

    private static double sum(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum;
    }

    /** Rates of a window. Immutable. */
    static final class Rates {
        private final double seconds;
        private final double[] append;
        private final double[] lag;
        private final double grown;
        private final double process;
        private final double busy;
        private final double busiest;

        Rates(
                double seconds,
                double[] append,
                double[] lag,
                double grown,
                double process,
                double busy,
                double busiest) {
            this.seconds = seconds;
            this.append = append;
            this.lag = lag;
            this.grown = grown;
            this.process = process;
            this.busy = busy;
            this.busiest = busiest;
        }

        /** How long the window is; 0 if there was one look only: then nothing else but the lag is known. */
        double seconds() {
            return seconds;
        }

        int partitions() {
            return append.length;
        }

        /** Records a second that came into a partition. */
        double append(int partition) {
            return append[partition];
        }

        /** Records of a partition that wait or are being handled. */
        double lag(int partition) {
            return lag[partition];
        }

        double allAppend() {
            return sum(append);
        }

        double allLag() {
            return sum(lag);
        }

        /** By how much the lag has grown. */
        double allGrown() {
            return grown;
        }

        /** Records a second that were done. */
        double process() {
            return process;
        }

        /** Members that were busy, on average. */
        double busy() {
            return busy;
        }

        /** The share of its time that the busiest member was busy. */
        double busiest() {
            return busiest;
        }

        /** Records a second that one member does while it is busy; 0 if that is not known. */
        double trueRate() {
            return busy <= 0 ? 0 : process / busy;
        }

        int hottest() {
            return largest(append);
        }

        int furthestBehind() {
            return largest(lag);
        }

        private static int largest(double[] values) {
            int largest = 0;
            for (int i = 1; i < values.length; i++) {
                largest = values[i] > values[largest] ? i : largest;
            }
            return largest;
        }
    }
}
