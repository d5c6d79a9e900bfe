package dev.laneway.engine;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Keeps the engine's complaints out of the log of tests that fail records on purpose, thousands of times. */
final class Quiet implements BeforeAllCallback, AfterAllCallback {
    private static final Logger ENGINE = (Logger) LoggerFactory.getLogger("dev.laneway.engine");

    static void on() {
        ENGINE.setLevel(Level.OFF);
    }

    static void off() {
        ENGINE.setLevel(null);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        on();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        off();
    }
}
