package dev.laneway.engine.commit;

import dev.laneway.engine.runtime.Host;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what producers have left open that this process had before a restart and has no more, since it has fewer members
 * or fewer producers now. Those that it has end theirs when they start; nobody would end the others until their
 * timeout, and so long nobody reads what is committed behind them. Runs beside the owner, which waits for nothing.
 */
public final class FormerProducers {
    private static final Logger log = LoggerFactory.getLogger(FormerProducers.class);
    private static final int ANSWER_MS = 10_000;
    /** A transaction that nobody ends is over long before all of them. */
    private static final int MOST_TRIES = 60;

    private static final long PAUSE_NANOS = 1_000_000_000;

    private final String id;
    private final int members;
    private final int producers;

    public FormerProducers(String id, int members, int producers) {
        this.id = id;
        this.members = members;
        this.producers = producers;
    }

    /**
     * Whether a transaction is this process's, see {@code KafkaConfig.transactional}, and none of its producers of
     * today's. The two numbers are its last parts, so that an id that begins like this one is another process's.
     */
    boolean isFormer(String transaction) {
        if (!transaction.startsWith(id + "-")) {
            return false;
        }
        String[] numbers = transaction.substring(id.length() + 1).split("-", -1);
        if (numbers.length != 2 || !isNumber(numbers[0]) || !isNumber(numbers[1])) {
            return false;
        }
        return Integer.parseInt(numbers[0]) >= members || Integer.parseInt(numbers[1]) >= producers;
    }

    private static boolean isNumber(String text) {
        return text.matches("0|[1-9][0-9]{0,8}");
    }

    /**
     * Asks for them and ends them, again while no broker answers. Any thread that may wait.
     *
     * @param producer a producer's properties, for the connection
     * @param over whether the consumer has ended meanwhile
     */
    public void end(Map<String, Object> producer, Host host, BooleanSupplier over) {
        Map<String, Object> connection = new HashMap<>(ClusterQuestions.connection(producer));
        connection.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MS);
        connection.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_MS);
        try (Admin admin = Admin.create(connection)) {
            for (int i = 0; i < MOST_TRIES && !over.getAsBoolean() && !isEnded(admin); i++) {
                host.park(PAUSE_NANOS);
            }
        } catch (Exception refused) {
            log.warn(
                    "transactions that {} may have left open with more members or producers than now end at their"
                            + " timeout: {}",
                    id,
                    refused.toString());
        }
    }

    /** False when nobody has answered. */
    private boolean isEnded(Admin admin) throws Exception {
        try {
            List<String> former = admin
                    .listTransactions(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING)))
                    .all()
                    .get()
                    .stream()
                    .map(TransactionListing::transactionalId)
                    .filter(this::isFormer)
                    .sorted()
                    .toList();
            if (!former.isEmpty()) {
                admin.fenceProducers(former).all().get();
                log.info("ended what former producers had left open: {}", former);
            }
            return true;
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof RetriableException) {
                return false;
            }
            throw failure;
        }
    }
}
