package dev.laneway.examples;

import dev.laneway.examples.SpringMigration.Depot;
import java.util.Map;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** The Spring Kafka side of docs/coming-from/spring-kafka.md. */
final class SpringProgram {
    private SpringProgram() {}

    /** The listener. */
    static class Parcels {
        private final Depot depot;

        Parcels(Depot depot) {
            this.depot = depot;
        }

        @KafkaListener(topics = "parcels", groupId = "depot", concurrency = "3")
        void ship(String parcel) throws Exception {
            depot.ship(parcel);
        }
    }

    /** What Spring Boot would make of properties, and the error handler. */
    @EnableKafka
    static class Configuration {
        private final Map<String, Object> kafkaConfig;

        Configuration(Map<String, Object> kafkaConfig) {
            this.kafkaConfig = kafkaConfig;
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
                KafkaTemplate<String, String> template) {
            var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
            factory.setConsumerFactory(
                    new DefaultKafkaConsumerFactory<>(kafkaConfig, new StringDeserializer(), new StringDeserializer()));
            factory.setCommonErrorHandler(
                    new DefaultErrorHandler(new DeadLetterPublishingRecoverer(template), new FixedBackOff(20, 2)));
            return factory;
        }

        @Bean
        KafkaTemplate<String, String> template() {
            Map<String, Object> config = Map.of("bootstrap.servers", kafkaConfig.get("bootstrap.servers"));
            return new KafkaTemplate<>(
                    new DefaultKafkaProducerFactory<>(config, new StringSerializer(), new StringSerializer()));
        }
    }

    static AnnotationConfigApplicationContext start(Map<String, Object> kafkaConfig, Depot depot) {
        var context = new AnnotationConfigApplicationContext();
        context.registerBean(Parcels.class, () -> new Parcels(depot));
        context.registerBean(Configuration.class, () -> new Configuration(kafkaConfig));
        context.refresh();
        return context;
    }
}
