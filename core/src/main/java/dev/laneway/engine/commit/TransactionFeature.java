package dev.laneway.engine.commit;

import dev.laneway.CommitMode;
import dev.laneway.Health;
import dev.laneway.Options;
import dev.laneway.engine.runtime.HealthConditions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the cluster have the transactions that exactly-once relies on (KIP-890, feature transaction.version 2)? Before
 * it, a write or an end that arrives late may count for the next transaction of that producer. Only faults show it, and
 * a cluster is upgraded while its clients run: so this is told, and stops nothing. One thread.
 */
public final class TransactionFeature {
    static final String NAME = "transaction.version";
    static final int NEEDED = 2;

    private static final Logger log = LoggerFactory.getLogger(TransactionFeature.class);
    private static final HealthConditions.Subject SUBJECT =
            new HealthConditions.Subject(Health.Cause.UNSAFE_TRANSACTIONS, "feature", NAME);

    private final HealthConditions conditions;
    private boolean isSettled;
    private boolean isTold;

    /** @param options those without exactly-once leave nothing to look at */
    public TransactionFeature(Options options, HealthConditions conditions) {
        this.conditions = conditions;
        this.isSettled = !(options.commit() instanceof CommitMode.ExactlyOnce);
    }

    /** Asks until the cluster has it, which may be while this runs. No answer is no finding. */
    public void look(ClusterQuestions cluster) {
        if (!isSettled) {
            cluster.feature(NAME).ifPresent(this::found);
        }
    }

    private void found(int level) {
        if (level >= NEEDED) {
            isSettled = true;
            conditions.end(SUBJECT);
            if (isTold) {
                log.info("the cluster has {} {} now, so exactly-once holds whatever arrives late", NAME, level);
            }
            return;
        }
        String reason = "the cluster has transaction.version " + level + " but exactly-once needs 2 (KIP-890): after a"
                + " network fault a late write or end of one"
                + " transaction may count for the next, so that"
                + " outputs are lost or written twice; upgrade"
                + " it by kafka-features upgrade --feature"
                + " transaction.version=2";
        conditions.tell(SUBJECT, Health.Status.UP, reason);
        if (!isTold) {
            isTold = true;
            log.warn("{}", reason);
        }
    }
}
