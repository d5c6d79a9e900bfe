package dev.laneway.engine;

import dev.laneway.BrokerException;
import java.time.Duration;
import java.util.function.Function;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Blocking calls of the consumer other than poll, within a limit. The owner only. */
final class Calls {
    private static final Logger log = LoggerFactory.getLogger(Calls.class);

    private final Host host;
    private final Duration limit;

    Calls(Host host, Duration limit) {
        this.host = host;
        this.limit = limit;
    }

    /**
     * Makes the call, again if the broker does not answer or a wake-up meant for an earlier poll ends it, until the
     * broker limit is over.
     *
     * @param what for the error: what was being done
     * @param call gets the time that is left
     */
    <T> T within(String what, Function<Duration, T> call) {
        return within(what, limit, call);
    }

    /** As {@link #within(String, Function)} with a limit of its own. */
    <T> T within(String what, Duration ownLimit, Function<Duration, T> call) {
        long since = host.nanoTime();
        for (int attempt = 1; ; attempt++) {
            Duration left = ownLimit.minusNanos(host.nanoTime() - since);
            try {
                return call.apply(left.isNegative() ? Duration.ZERO : left);
            } catch (WakeupException late) {
                log.trace("{} was ended by a late wake-up", what);
            } catch (RetriableException failure) {
                if (host.nanoTime() - since >= ownLimit.toNanos()) {
                    throw new BrokerException(
                            what + " had no answer within brokerLimit " + ownLimit + " (" + attempt
                                    + " attempts): check the brokers, or raise brokerLimit",
                            failure);
                }
                log.warn("{} failed, again: {}", what, failure.toString());
                host.park(Math.min(100_000_000L, 1_000_000L << Math.min(attempt, 10)));
            }
        }
    }
}
