package dev.laneway.engine.runtime;

import dev.laneway.engine.StressHost;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link WakeSignal}: whoever has news signals, and the owner neither sleeps over it nor misses it. */
final class WakeSignalStress {
    private static final int SEEN = 0;
    private static final int WOKEN = 1;
    private static final int MISSED = 2;

    private WakeSignalStress() {}

    /** The owner begins a turn, in which it looks for news, and then waits in a poll. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "The owner saw the news in its turn, or did not wait.")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The news ended its poll.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The owner waits in a poll, and the signal is over.")
    @State
    public static class Polling {
        private final StressHost host = new StressHost();
        private final WakeSignal wake = new WakeSignal(host, host::wake);
        private volatile boolean news;
        private volatile boolean signalled;

        public Polling() {
            wake.signal(); // For an earlier turn: who signals again may think that the owner will come anyway.
        }

        @Actor
        public void others() {
            news = true;
            wake.signal();
            signalled = true;
        }

        @Actor
        public void owner(I_Result result) {
            wake.awake();
            if (news || !wake.beforePoll()) {
                result.r1 = SEEN;
                return;
            }
            result.r1 = host.awaitWake(() -> signalled) ? WOKEN : MISSED;
            wake.afterPoll();
        }
    }

    /** The owner parks, since a poll is of no use to it. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "The signal came first, and the owner did not park.")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The signal ended the parking.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The owner is parked, and the signal is over.")
    @State
    public static class Parking {
        private int outcome = SEEN;
        private volatile boolean signalled;
        private final StressHost host = new StressHost() {
            @Override
            public void park(long nanos) {
                outcome = awaitWake(() -> signalled) ? WOKEN : MISSED;
            }
        };
        private final WakeSignal wake = new WakeSignal(host, host::wake);

        @Actor
        public void others() {
            wake.signal();
            signalled = true;
        }

        @Actor
        public void owner(I_Result result) {
            wake.park(1);
            result.r1 = outcome;
        }
    }
}
