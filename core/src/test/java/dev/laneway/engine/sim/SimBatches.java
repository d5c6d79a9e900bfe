package dev.laneway.engine.sim;

import dev.laneway.BatchOutcome;
import dev.laneway.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The batch handler of one process: some calls throw, some are done with all, some say it of each record. */
final class SimBatches {
    private final SimWorld world;
    private final SimHandlers handlers;

    SimBatches(SimWorld world, SimHandlers handlers) {
        this.world = world;
        this.handlers = handlers;
    }

    BatchOutcome handle(List<ConsumerRecord<byte[], byte[]>> records) throws Exception {
        if (records.isEmpty() || records.size() > world.plan.batchSize) {
            world.check.breach("B48 a batch of " + records.size() + ", its size is " + world.plan.batchSize);
        }
        SimCall call = new SimCall();
        List<SimAttempt> attempts = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            attempts.add(handlers.begin(record, 0, call));
        }
        SimBehaviour drawn = handlers.draw();
        boolean throwsIt = isFailure(drawn.end());
        boolean allDone = world.random.nextBoolean() && !world.plan.isExactlyOnce();
        List<SimEnd> ends = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            SimEnd own = throwsIt
                    ? drawn.end()
                    : allDone ? SimEnd.DONE : handlers.draw().end();
            ends.add(isFailure(own) && !throwsIt ? SimEnd.DONE : own);
        }
        handlers.live(attempts, drawn, ends);
        handlers.fail(throwsIt ? drawn.end() : SimEnd.DONE);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < ends.size(); i++) {
            outcomes.add(handlers.outcome(attempts.get(i), ends.get(i)));
        }
        return allDone ? BatchOutcome.done() : new BatchOutcome.Each(outcomes);
    }

    private static boolean isFailure(SimEnd end) {
        return end.kind() == SimEnd.Kind.FAILED || end.kind() == SimEnd.Kind.HOPELESS;
    }
}
