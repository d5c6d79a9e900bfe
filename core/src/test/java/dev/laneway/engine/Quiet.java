package dev.laneway.engine;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Keeps the engine's complaints out of the log of tests that fail records on purpose, thousands of times. */
final class Quiet implements BeforeAllCallback, AfterAllCallback {
    private final Logger engine = (Logger) LoggerFactory.getLogger("dev.laneway.engine");

    @Override
    public void beforeAll(ExtensionContext context) {
        engine.setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        engine.setLevel(null);
    }
}
