package dev.laneway.bench.scenario;

import dev.laneway.cli.workload.Payload;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

/** How the records of a topic get their keys. */
public enum Dealing {
    /** Drawn at random. */
    DRAWN {
        @Override
        public IntSupplier keys(Topic topic, IntSupplier drawn) {
            return drawn;
        }
    },
    /** In turn: with drawn keys the counts would differ, and the most frequent key would set the time. */
    IN_TURN {
        @Override
        public IntSupplier keys(Topic topic, IntSupplier drawn) {
            return new InTurn(topic.keys());
        }
    },
    /** One in a hundred is of key 0, in turn; the others are drawn from the other keys. */
    ONE_IN_A_HUNDRED {
        @Override
        public IntSupplier keys(Topic topic, IntSupplier drawn) {
            return new Hundreds(drawn);
        }
    },
    /** Drawn from the keys of the first partition, so the others stay empty. */
    ONE_PARTITION {
        @Override
        public IntSupplier keys(Topic topic, IntSupplier drawn) {
            return () -> {
                int key = drawn.getAsInt();
                while (BuiltInPartitioner.partitionForKey(Payload.keyBytes(key), topic.partitions()) != 0) {
                    key = drawn.getAsInt();
                }
                return key;
            };
        }
    };

    static final int HUNDRED = 100;

    /**
     * Returns the numbers of the records' keys, one after the other.
     *
     * @param drawn draws one at random, with the topic's skew
     */
    public abstract IntSupplier keys(Topic topic, IntSupplier drawn);

    /** Not thread-safe. */
    private static final class Hundreds implements IntSupplier {
        private final IntSupplier drawn;
        private int next;

        Hundreds(IntSupplier drawn) {
            this.drawn = drawn;
        }

        @Override
        public int getAsInt() {
            boolean isHot = next == 0;
            next = next + 1 == HUNDRED ? 0 : next + 1;
            int key = 0;
            while (!isHot && key == 0) {
                key = drawn.getAsInt();
            }
            return key;
        }
    }

    /** Not thread-safe. */
    private static final class InTurn implements IntSupplier {
        private final int keys;
        private int next;

        InTurn(int keys) {
            this.keys = keys;
        }

        @Override
        public int getAsInt() {
            int key = next;
            next = key + 1 == keys ? 0 : key + 1;
            return key;
        }
    }
}
