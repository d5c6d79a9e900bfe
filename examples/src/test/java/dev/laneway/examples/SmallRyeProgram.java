package dev.laneway.examples;

import dev.laneway.examples.SmallRyeMigration.Greenhouse;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.kafka.api.IncomingKafkaRecordMetadata;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.weld.environment.se.ContainerLifecycleObserver;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;

/** The SmallRye side of docs/coming-from/smallrye.md. */
final class SmallRyeProgram {
    private SmallRyeProgram() {}

    /** The bean that a container such as Quarkus finds. */
    @ApplicationScoped
    static class Readings {
        private final Greenhouse greenhouse;

        @Inject
        Readings(Greenhouse greenhouse) {
            this.greenhouse = greenhouse;
        }

        /** For the container's proxy. */
        Readings() {
            this((plot, reading) -> Uni.createFrom().voidItem());
        }

        @Incoming("readings")
        Uni<Void> store(String reading, IncomingKafkaRecordMetadata<String, String> metadata) {
            return greenhouse.store(metadata.getKey(), reading);
        }
    }

    /** What Quarkus would read from application.properties and do at its start. */
    static WeldContainer start(Map<String, Object> kafkaConfig, Greenhouse greenhouse) {
        Map<String, String> config = new HashMap<>();
        String channel = "mp.messaging.incoming.readings.";
        kafkaConfig.forEach((name, value) -> config.put(channel + name, value.toString()));
        config.put(channel + "connector", "smallrye-kafka");
        config.put(channel + "value.deserializer", StringDeserializer.class.getName());
        config.put(channel + "auto.commit.interval.ms", "100");
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        ConfigProviderResolver.instance()
                .registerConfig(
                        new SmallRyeConfigBuilder()
                                .forClassLoader(loader)
                                .withSources(new PropertiesConfigSource(config, "test", 500))
                                .build(),
                        loader);
        return new Weld()
                .addBeanClass(Readings.class)
                .addContainerLifecycleObserver(ContainerLifecycleObserver.afterBeanDiscovery(
                        event -> event.addBean().types(Greenhouse.class).createWith(_ -> greenhouse)))
                .initialize();
    }
}
