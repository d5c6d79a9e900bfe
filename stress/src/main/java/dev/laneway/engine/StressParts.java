package dev.laneway.engine;

import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.NoOutlet;
import dev.laneway.engine.handle.Scheduler;
import dev.laneway.engine.handle.StreamFeed;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.UtilisationMeter;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.CursorRun;
import dev.laneway.engine.track.LaneSpill;
import dev.laneway.engine.track.Track;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** What a member is made of, as far as these tests need it: one partition, a scheduler, and no worker that runs. */
public final class StressParts {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);
    private static final byte[] EMPTY = {};

    public final StressHost host = new StressHost();
    public final Scheduler scheduler;
    public final Track track;

    public StressParts(int concurrency) {
        EventCounts counts = new EventCounts();
        scheduler = scheduler(host, concurrency, counts);
        track = new Track(
                PARTITION,
                1,
                0,
                null,
                Options.DEFAULTS,
                0,
                scheduler,
                wake(host),
                counts,
                host::epochMillis,
                _ -> LaneSpill.NONE);
        scheduler.serve(List.of(track));
    }

    private static Scheduler scheduler(Host host, int concurrency, EventCounts counts) {
        UtilisationMeter meter = new UtilisationMeter(host, concurrency);
        return new Scheduler(host, Ordering.KEY, concurrency, counts, meter, self -> search -> () -> {});
    }

    private static WakeSignal wake(StressHost host) {
        return new WakeSignal(host, host::wake);
    }

    /** Appends one record. */
    public void append(long offset) {
        track.append(chunk(offset, 1), offset + 1);
    }

    /** A worker takes the cursor; whether there was something to take. */
    public boolean claim() {
        return track.claim(Thread.currentThread()) != null;
    }

    /** A worker handles the only record to its end. */
    public void handle() {
        if (track.claim(Thread.currentThread()) instanceof CursorRun run) {
            track.finish(run, false);
        }
    }

    /** Records without keys, from an offset on. */
    public static Chunk chunk(long from, int count) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(new ConsumerRecord<>(PARTITION.topic(), PARTITION.partition(), from + i, null, EMPTY));
        }
        return new Chunk(records);
    }

    /** A stream's partition that has delivered so many records. */
    public static StreamFeed delivered(int records) {
        StressHost host = new StressHost();
        EventCounts counts = new EventCounts();
        StreamFeed feed = new StreamFeed(
                PARTITION,
                1,
                0,
                null,
                new HandlerSpec.Streaming(NoOutlet.OUTLET, HandlerSpec.Streaming.Kind.COMMITTABLE),
                wake(host),
                counts,
                new HealthConditions(host),
                () -> CompletableFuture.completedStage(null));
        feed.append(chunk(0, records), records);
        feed.take(records);
        feed.delivered();
        return feed;
    }
}
