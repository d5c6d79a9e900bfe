package dev.laneway.engine;

import dev.laneway.Options;
import dev.laneway.Workers;

/** What one of several members gets of the whole: a name, threads, and its share of the concurrency. Immutable. */
public record MemberShare(String name, Workers workers, int concurrency) {
    public static MemberShare of(Options options, int number) {
        String name = options.consumers() == 1 ? options.name() : options.name() + "-" + number;
        int share = share(options, options.concurrency(), number);
        if (options.workers() instanceof Workers.CpuBound(int threads)) {
            int own = Math.max(1, share(options, threads, number));
            return new MemberShare(name, Workers.cpuBound(own), Math.min(share, own));
        }
        return new MemberShare(name, options.workers(), share);
    }

    private static int share(Options options, int whole, int number) {
        return whole / options.consumers() + (number < whole % options.consumers() ? 1 : 0);
    }
}
