package dev.laneway.engine.track;

/** What a worker has claimed and does next. */
public sealed interface Work permits CursorRun, Batch, ReadyWork {
    /** Records that one worker takes in a row from a lane or a track while other work waits. */
    int TURN = 64;
}
