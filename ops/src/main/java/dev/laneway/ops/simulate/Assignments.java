package dev.laneway.ops.simulate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Which member has which partition, and which partitions stand still. Used by one thread. */
final class Assignments {
    private final int[] owners;
    /** From when on a partition may be read and its records handled. */
    private final long[] openFrom;

    Assignments(int partitions, int members) {
        owners = new int[partitions];
        openFrom = new long[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            owners[partition] = partition % members;
        }
    }

    int[] owners() {
        return owners.clone();
    }

    int owner(int partition) {
        return owners[partition];
    }

    boolean isOpen(int partition, long now) {
        return openFrom[partition] <= now;
    }

    void close(int partition, long until) {
        openFrom[partition] = Math.max(openFrom[partition], until);
    }

    long openFrom(int partition) {
        return openFrom[partition];
    }

    boolean isAnyClosed(long now) {
        return Arrays.stream(openFrom).anyMatch(from -> from > now);
    }

    void give(int partition, int member) {
        owners[partition] = member;
    }

    /** The partitions to move so that so many members have equally many, as few moves as can be. */
    List<Move> balance(int members) {
        int[] counts = new int[members];
        int least = owners.length / members;
        int withOneMore = owners.length % members;
        List<Integer> homeless = new ArrayList<>();
        for (int partition = 0; partition < owners.length; partition++) {
            int owner = owners[partition];
            boolean keeps = owner < members && (counts[owner] < least || (counts[owner] == least && withOneMore > 0));
            if (keeps) {
                withOneMore -= counts[owner] == least ? 1 : 0;
                counts[owner]++;
            } else {
                homeless.add(partition);
            }
        }
        List<Move> moves = new ArrayList<>();
        int member = 0;
        for (int partition : homeless) {
            while (counts[member] >= least && !(counts[member] == least && withOneMore > 0 && isFull(counts, least))) {
                member = (member + 1) % members;
            }
            withOneMore -= counts[member] == least ? 1 : 0;
            counts[member]++;
            moves.add(new Move(partition, member));
        }
        return moves;
    }

    /** The partitions to move so that each is where it was said to be. */
    List<Move> given(int[] wanted, int members) {
        List<Move> moves = new ArrayList<>();
        for (int partition = 0; partition < owners.length; partition++) {
            int to = Math.floorMod(wanted[partition], members);
            if (to != owners[partition]) {
                moves.add(new Move(partition, to));
            }
        }
        return moves;
    }

    /** Whether all have the least, so that those with one more are next. */
    private static boolean isFull(int[] counts, int least) {
        return Arrays.stream(counts).allMatch(count -> count >= least);
    }

    /** A partition, and who gets it. */
    record Move(int partition, int to) {}
}
