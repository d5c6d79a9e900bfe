package dev.laneway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.slf4j.LoggerFactory;

/** Whether the engine logs: not while a test wants it quiet, unless one that runs beside it listens. Thread-safe. */
public final class EngineLog {
    private static int quiet;
    private static int listeners;

    private EngineLog() {}

    /** Whoever asks while another thread is the first to log gets a substitute, which has no level. */
    static Logger logger(String name) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        return ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(name);
    }

    /** One more who wants it quiet. */
    public static synchronized void quieten() {
        quiet++;
        set();
    }

    /** One less who wants it quiet. */
    public static synchronized void unquieten() {
        quiet--;
        set();
    }

    static synchronized void listen() {
        listeners++;
        set();
    }

    static synchronized void unlisten() {
        listeners--;
        set();
    }

    private static void set() {
        logger("dev.laneway.engine").setLevel(quiet > 0 && listeners == 0 ? Level.OFF : null);
    }
}
