package dev.laneway.bench;

import dev.laneway.CommitMode;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.Ordering;
import dev.laneway.RecordHandler;

/** Laneway, with default options but for order and concurrency. */
final class PeerLaneway implements Peer {
    private final Ordering ordering;

    PeerLaneway(Ordering ordering) {
        this.ordering = ordering;
    }

    @Override
    public Order order(Task task) {
        return switch (ordering) {
            case KEY -> Order.KEY;
            case PARTITION -> Order.PARTITION;
            case UNORDERED -> Order.NONE;
        };
    }

    /** There is no way to switch them off. */
    @Override
    public boolean commits(Task task) {
        return true;
    }

    @Override
    public Running start(Task task) {
        LanewayBuilder<byte[], byte[]> description = Laneway.consumer(task.kafkaConfig())
                .subscribe(task.topic())
                .ordering(ordering)
                .closeOnShutdown(false);
        if (!task.probe().work().isNothing()) {
            description = description.concurrency(task.concurrency());
        }
        if (task.commits() == Commits.POLL_AHEAD || task.commits() == Commits.RECORD_AHEAD) {
            description = description.commit(CommitMode.ahead());
        }
        RecordHandler<byte[], byte[]> handler = task.probe()::handle;
        Laneway running = description.process(handler);
        return new Running() {
            @Override
            public void check() {
                running.failure().ifPresent(failure -> {
                    throw new IllegalStateException("Laneway has failed", failure);
                });
            }

            @Override
            public void close() {
                running.close();
                check();
            }
        };
    }
}
