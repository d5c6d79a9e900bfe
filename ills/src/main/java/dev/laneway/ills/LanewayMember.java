package dev.laneway.ills;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import java.time.Duration;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A member that runs Laneway by key; a record that fails is tried again for ever. */
final class LanewayMember implements Patient.Member {
    private final Laneway laneway;

    private LanewayMember(Laneway laneway) {
        this.laneway = laneway;
    }

    static LanewayMember start(Settings settings, Handling handling) {
        return new LanewayMember(Laneway.consumer(Patient.consumer(settings))
                .deserializers(new StringDeserializer(), new ByteArrayDeserializer())
                .subscribe(settings.list("topics"))
                .concurrency((int) settings.number("concurrency", 2))
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(500))))
                .drainLimit(Duration.ofMillis(500))
                .closeLimit(Duration.ofSeconds(1))
                .process(record -> handling.handle(
                        record.topic() + "-" + record.partition() + "@" + record.offset(),
                        record.key(),
                        record.value())));
    }

    @Override
    public void leave() {
        laneway.close();
    }
}
