package dev.laneway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** Whether the engine logs: not while a test wants it quiet, unless one that runs beside it listens. Thread-safe. */
public final class EngineLog {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("dev.laneway.engine");

    private static int quiet;
    private static int listeners;

    private EngineLog() {}

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
        LOGGER.setLevel(quiet > 0 && listeners == 0 ? Level.OFF : null);
    }
}
