package dev.laneway.examples;

import dev.laneway.examples.VertxMigration.Meter;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.consumer.KafkaConsumer;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The Vert.x side of docs/coming-from/vertx.md. */
final class VertxProgram {
    private VertxProgram() {}

    static KafkaConsumer<String, String> start(Vertx vertx, Map<String, Object> kafkaConfig, Meter meter) {
        Map<String, String> config = new HashMap<>();
        kafkaConfig.forEach((name, value) -> config.put(name, value.toString()));
        config.put("key.deserializer", StringDeserializer.class.getName());
        config.put("value.deserializer", StringDeserializer.class.getName());
        config.put("auto.commit.interval.ms", "100");
        KafkaConsumer<String, String> consumer = KafkaConsumer.create(vertx, config);
        consumer.handler(record -> meter.store(record.key(), record.value()));
        consumer.subscribe("meters");
        return consumer;
    }
}
