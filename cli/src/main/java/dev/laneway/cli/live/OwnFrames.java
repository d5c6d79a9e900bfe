package dev.laneway.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.dashboard.LiveFrames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Frames that this process makes. Used by one thread. */
final class OwnFrames implements FrameSource {
    private final ObjectMapper mapper = new ObjectMapper();
    private final LiveFrames frames;
    private byte[] bytes = new byte[0];
    private @Nullable JsonNode frame;

    OwnFrames(LiveFrames frames) {
        this.frames = frames;
    }

    @Override
    public Reading latest() {
        byte[] now = frames.latest();
        if (!Arrays.equals(now, bytes)) {
            try {
                frame = mapper.readTree(now);
                bytes = now;
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible); // We wrote it.
            }
        }
        return new Reading(frame, "");
    }

    @Override
    public void close() {
        frames.close();
    }
}
