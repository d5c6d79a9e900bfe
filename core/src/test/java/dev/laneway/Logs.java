package dev.laneway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What the engine logs, from WARN on, while this is open. Other tests' consumers must not run beside it. */
final class Logs implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.laneway");
    private final @Nullable Level before = logger.getLevel();
    private final Queue<String> messages = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            messages.add(event.getLevel() + " " + event.getFormattedMessage());
        }
    };

    Logs() {
        appender.start();
        logger.setAdditive(false);
        logger.setLevel(Level.WARN);
        logger.addAppender(appender);
    }

    List<String> messages() {
        return List.copyOf(messages);
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(before);
        logger.setAdditive(true);
    }
}
