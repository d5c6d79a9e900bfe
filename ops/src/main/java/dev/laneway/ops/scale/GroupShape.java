package dev.laneway.ops.scale;

/**
 * How large a group is. What is not known, or does not exist, is 0. Immutable.
 *
 * @param members of the group
 * @param concurrency records that a member processes at the same time; 0 if that cannot be set
 * @param threads stream threads of a member; 0 if that cannot be set
 * @param cores processors of a member
 * @param memoryBytes memory of a member
 */
public record GroupShape(int members, int concurrency, int threads, double cores, long memoryBytes) {
    /** Members of which no more is known. */
    public static GroupShape of(int members) {
        return new GroupShape(members, 0, 0, 0, 0);
    }

    /** The same with another number of members. */
    public GroupShape withMembers(int number) {
        return new GroupShape(number, concurrency, threads, cores, memoryBytes);
    }

    /** The same with another concurrency. */
    public GroupShape withConcurrency(int number) {
        return new GroupShape(members, number, threads, cores, memoryBytes);
    }

    /** The same with another number of stream threads. */
    public GroupShape withThreads(int number) {
        return new GroupShape(members, concurrency, number, cores, memoryBytes);
    }

    /** The same with another number of processors. */
    public GroupShape withCores(double number) {
        return new GroupShape(members, concurrency, threads, number, memoryBytes);
    }

    /** The same with other memory. */
    public GroupShape withMemoryBytes(long bytes) {
        return new GroupShape(members, concurrency, threads, cores, bytes);
    }

    /** Whether what is seen is this, as far as it is known. */
    boolean isSeenAs(GroupShape seen) {
        return seen.members == members
                && (seen.concurrency == 0 || concurrency == 0 || seen.concurrency == concurrency)
                && (seen.threads == 0 || threads == 0 || seen.threads == threads)
                && (seen.cores == 0 || cores == 0 || Math.abs(seen.cores - cores) < 0.01)
                && (seen.memoryBytes == 0 || memoryBytes == 0 || seen.memoryBytes == memoryBytes);
    }

    /** Whether members are alike, however many there are. */
    boolean isOfSameMembers(GroupShape other) {
        return withMembers(0).equals(other.withMembers(0));
    }

    boolean isSane() {
        return members >= 0
                && members <= 1_000_000
                && concurrency >= 0
                && threads >= 0
                && cores >= 0
                && Double.isFinite(cores)
                && memoryBytes >= 0;
    }

    /** What there is, in words. */
    String words() {
        return Num.count(members, "member")
                + (concurrency > 0 ? ", concurrency " + concurrency : "")
                + (threads > 0 ? ", " + Num.count(threads, "thread") + " each" : "");
    }
}
