package dev.laneway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.slf4j.LoggerFactory;

/** Laneway's log: off in tests (logback-test.xml), on while an appender listens. Thread-safe. */
final class EngineLog {
    private static int listeners;

    private EngineLog() {}

    /** While another thread logs for the first time, SLF4J returns a substitute without a level. */
    static Logger logger(String name) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        return ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(name);
    }

    /** Until {@link #leave}; several may listen at a time. */
    static synchronized void listen(Appender<ILoggingEvent> appender) {
        Logger logger = logger("dev.laneway");
        appender.start();
        logger.addAppender(appender);
        logger.setAdditive(false);
        logger.setLevel(Level.TRACE);
        listeners++;
    }

    /** The last one switches it off. */
    static synchronized void leave(Appender<ILoggingEvent> appender) {
        Logger logger = logger("dev.laneway");
        logger.detachAppender(appender);
        listeners--;
        if (listeners == 0) {
            logger.setLevel(Level.OFF);
            logger.setAdditive(true);
        }
    }
}
