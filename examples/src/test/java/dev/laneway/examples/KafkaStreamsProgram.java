package dev.laneway.examples;

import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

/** The Kafka Streams side of docs/coming-from/kafka-streams.md. */
final class KafkaStreamsProgram {
    private KafkaStreamsProgram() {}

    static KafkaStreams start(Map<String, Object> kafkaConfig, String stateDirectory) {
        var builder = new StreamsBuilder();
        builder.stream("clicks", Consumed.with(Serdes.String(), Serdes.String()))
                .filterNot((user, click) -> click.startsWith("bot"))
                .mapValues(click -> "saw " + click)
                .to("sessions", Produced.with(Serdes.String(), Serdes.String()));
        var config = new Properties();
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, kafkaConfig.get("bootstrap.servers"));
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, kafkaConfig.get("group.id"));
        config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        config.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory);
        var streams = new KafkaStreams(builder.build(), config);
        streams.start();
        return streams;
    }
}
