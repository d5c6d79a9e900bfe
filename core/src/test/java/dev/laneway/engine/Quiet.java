package dev.laneway.engine;

import dev.laneway.EngineLog;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Keeps the engine's complaints out of the log of tests that fail records on purpose, thousands of times. */
final class Quiet implements BeforeAllCallback, AfterAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        EngineLog.quieten();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        EngineLog.unquieten();
    }
}
