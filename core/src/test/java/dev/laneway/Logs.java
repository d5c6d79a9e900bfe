package dev.laneway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What engines log, from WARN on, while this is open: all, or those that have a name. */
public final class Logs implements AutoCloseable {
    private final String threads;
    private final String records;
    private final Queue<String> messages = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.WARN)
                    && (event.getThreadName().startsWith(threads)
                            || event.getFormattedMessage().contains(records))) {
                messages.add(event.getLevel() + " " + event.getFormattedMessage());
            }
        }
    };

    /** Of all; other tests' consumers must not log the same beside it. */
    public Logs() {
        this("", "");
    }

    /** Of the consumer that has the name of its topic. */
    public static Logs of(String topic) {
        return new Logs(topic + "-", "record " + topic + "-");
    }

    private Logs(String threads, String records) {
        this.threads = threads;
        this.records = records;
        EngineLog.listen(appender);
    }

    public List<String> messages() {
        return List.copyOf(messages);
    }

    @Override
    public void close() {
        EngineLog.leave(appender);
    }
}
