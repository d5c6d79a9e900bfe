package dev.laneway.ops.size;

import java.util.ArrayList;
import java.util.List;

/**
 * What a group did under one rate, from its lag over some time. Immutable.
 *
 * <h2>How the slope is found</h2>
 *
 * A group commits from time to time, so its lag as brokers see it rises by the load, and falls with each commit: a saw
 * whose teeth are many times larger than a slope of 1 %. Right after a commit the lag is what the group really has in
 * hand. So only the first point after each commit counts, and the slope is the line of least squares through those. How
 * far they lie from that line tells how uncertain the slope is; and so does the time between two points, since a commit
 * is seen up to that much later than it was made.
 *
 * @param seconds from the first to the last point
 * @param offered records a second that came
 * @param slope records a second by which the lag grew
 * @param error of the slope, as its standard deviation
 * @param lag records, in the mean right after commits
 * @param commits points right after a commit
 */
public record LagWindow(double seconds, double offered, double slope, double error, double lag, int commits) {
    /** The most of the load that the lag may grow by. */
    public static final double MOST_GROWTH = 0.01;

    /** Fewer points right after commits tell no slope. */
    public static final int LEAST_COMMITS = 4;

    /** Of the difference of two times that are each anywhere within one, evenly: its standard deviation. */
    private static final double LATE = Math.sqrt(1 / 6.0);

    /** How sure it is that the group keeps up. */
    public enum Pace {
        /** The lag grows by less than 1 % of the load. */
        KEEPS_UP,
        /** It grows by more. */
        FALLS_BEHIND,
        /** To be seen in a longer time. */
        UNCLEAR
    }

    /** Of points with rising times. */
    public static LagWindow of(List<LagPoint> points) {
        List<LagPoint> after = new ArrayList<>();
        for (int i = 1; i < points.size(); i++) {
            if (points.get(i).committed() > points.get(i - 1).committed()) {
                after.add(points.get(i));
            }
        }
        if (points.size() < 2) {
            return new LagWindow(0, 0, 0, Double.POSITIVE_INFINITY, 0, 0);
        }
        LagPoint first = points.getFirst();
        LagPoint last = points.getLast();
        double seconds = last.seconds() - first.seconds();
        double offered = seconds > 0 ? (last.end() - first.end()) / seconds : 0;
        return after.size() < LEAST_COMMITS
                ? few(points, after.size(), seconds, offered)
                : fitted(after, seconds, offered, LATE * seconds / (points.size() - 1));
    }

    /** Without commits the lag grows by all that comes; with a few nobody can tell. */
    private static LagWindow few(List<LagPoint> points, int commits, double seconds, double offered) {
        double grown = points.getLast().lag() - points.getFirst().lag();
        double slope = seconds > 0 ? grown / seconds : 0;
        return new LagWindow(
                seconds,
                offered,
                slope,
                commits == 0 ? 0 : Double.POSITIVE_INFINITY,
                points.getLast().lag(),
                commits);
    }

    /** @param late by how many seconds commits are seen too late, as a standard deviation */
    private static LagWindow fitted(List<LagPoint> points, double seconds, double offered, double late) {
        int n = points.size();
        double meanTime = points.stream().mapToDouble(LagPoint::seconds).sum() / n;
        double meanLag = points.stream().mapToDouble(LagPoint::lag).sum() / n;
        double times = 0;
        double both = 0;
        for (LagPoint point : points) {
            times += (point.seconds() - meanTime) * (point.seconds() - meanTime);
            both += (point.seconds() - meanTime) * (point.lag() - meanLag);
        }
        double slope = times > 0 ? both / times : 0;
        double residues = 0;
        for (LagPoint point : points) {
            double residue = point.lag() - meanLag - slope * (point.seconds() - meanTime);
            residues += residue * residue;
        }
        double span = points.getLast().seconds() - points.getFirst().seconds();
        double error = span > 0
                ? Math.hypot(Math.sqrt(residues / (n - 2) / times), late * offered / span)
                : Double.POSITIVE_INFINITY;
        return new LagWindow(seconds, offered, slope, error, meanLag, n);
    }

    /** Records a second that the group handled. */
    public double handled() {
        return Math.max(0, offered - slope);
    }

    /** Whether the lag grows by more than its limit, and whether that is more than chance. */
    public Pace pace() {
        double most = MOST_GROWTH * offered;
        if (slope - error > most) {
            return Pace.FALLS_BEHIND;
        }
        return slope + error <= most ? Pace.KEEPS_UP : Pace.UNCLEAR;
    }

    /** The likelier of the two, where there is no time to be sure. */
    public Pace likelyPace() {
        boolean grows = slope > MOST_GROWTH * offered || (error == Double.POSITIVE_INFINITY && slope > 0.5 * offered);
        return grows ? Pace.FALLS_BEHIND : Pace.KEEPS_UP;
    }
}
