package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import dev.laneway.engine.ConsumerLaunch;
import dev.laneway.engine.LaunchSettings;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.SaslMechanism;
import dev.laneway.testkit.StoreForm;
import dev.laneway.testkit.Tls;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Collects everything that Laneway and the clients log or report, which must not contain a password. */
@Timeout(120)
@DisplayName("Secrets")
class SecretsTest {
    private static final String SECRET = "Tr0ub4dor";
    private static final List<String> LOGGERS = List.of("org.apache.kafka.clients", "org.apache.kafka.common");

    private final Queue<String> said = new ConcurrentLinkedQueue<>();
    private final Map<Logger, Level> before = new HashMap<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            said.add(event.getLoggerName() + " " + event.getThreadName() + " " + event.getFormattedMessage());
            if (event.getThrowableProxy() != null) {
                said.add(ThrowableProxyUtil.asString(event.getThrowableProxy()));
            }
        }
    };

    @BeforeEach
    void listen() {
        EngineLog.listen(appender);
        for (String name : LOGGERS) {
            Logger logger = EngineLog.logger(name);
            before.put(logger, logger.getLevel());
            // Brokers and clients share the loggers: below INFO the brokers alone log thousands of lines a second.
            logger.setLevel(Level.INFO);
            logger.setAdditive(false);
            logger.addAppender(appender);
        }
    }

    @AfterEach
    void stopListening() {
        before.forEach((logger, level) -> {
            logger.detachAppender(appender);
            logger.setLevel(level);
            logger.setAdditive(true);
        });
        EngineLog.leave(appender);
    }

    private void say(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        said.add(trace.toString());
    }

    private void say(Laneway laneway) {
        said.add(laneway.toString());
        said.add(laneway.health().toString());
        said.add(laneway.snapshot().toString());
        said.add(laneway.state().toString());
        laneway.failure().ifPresent(this::say);
    }

    private void assertNothingSecretWasSaid() {
        assertThat(said).isNotEmpty().noneMatch(text -> text.contains(SECRET));
    }

    @Test
    @DisplayName("no password in any log, message, snapshot, health or stack: login, stores, refusals, dead letters")
    void wholeLife() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                .tls(Tls.MUTUAL)
                .sasl(SaslMechanism.PLAIN)
                .user("app", SECRET + " and more")
                .acls()
                .start()) {
            Stage stage = Stage.on(kafka, 1);
            String letters = stage.topic + ".dlq";
            kafka.createTopic(letters, 1);
            stage.load(20, i -> "key-" + i);
            kafka.security().grant("app", AclOperation.READ, ResourceType.TOPIC, stage.topic);
            kafka.security().grant("app", AclOperation.READ, ResourceType.GROUP, stage.group);
            for (StoreForm form : StoreForm.values()) {
                Map<String, String> right = kafka.security().clientProperties("app", form);
                assertThat(right.values()).anyMatch(value -> value.contains(SECRET));
                Map<String, String> wrong = new HashMap<>(right);
                wrong.computeIfPresent("sasl.jaas.config", (name, login) -> login.replace("more", "other"));
                fails(stage, wrong, letters);
                // The right one may not write the dead letters.
                fails(stage, right, letters);
            }
            kafka.security().grant("app", AclOperation.WRITE, ResourceType.TOPIC, letters);
            LanewayBuilder<String, String> builder = stage.consumer(
                            kafka.security().clientProperties("app"))
                    .onFailure(FailurePolicy.deadLetter(letters));
            try (Laneway laneway = builder.process(record -> {
                throw new IllegalStateException("a record for the dead letters");
            })) {
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
                say(laneway);
            }
        }
        assertThat(said).anyMatch(text -> text.contains("may not WRITE"));
        assertThat(said).anyMatch(text -> text.contains("refused the login"));
        // The clients print their configuration: what must be hidden was there to be hidden.
        assertThat(said).anyMatch(text -> text.contains("ssl.keystore.password = [hidden]"));
        assertNothingSecretWasSaid();
    }

    private void fails(Stage stage, Map<String, String> client, String letters) {
        Laneway laneway = stage.consumer(client)
                .retryAuthorization(millis(300))
                .onFailure(FailurePolicy.deadLetter(letters))
                .process(record -> {
                    throw new IllegalStateException("a record for the dead letters");
                });
        Throwable failure = catchThrowable(() -> laneway.awaitTermination(LIMIT));
        assertThat(failure).isInstanceOf(LanewayException.class);
        say(failure);
        say(laneway);
    }

    static Stream<Arguments> mistakes() {
        String login = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"app\" password=";
        Map<String, Object> sasl = Map.of("security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN");
        return Stream.of(
                Arguments.of("a slip in the name", Map.of("ssl.keystore.pasword", SECRET)),
                Arguments.of("another", Map.of("sasl.jaas.confg", login + '"' + SECRET + "\";")),
                Arguments.of("a third", Map.of("ssl.truststore.certificate", SECRET)),
                Arguments.of("not text", with(sasl, "sasl.jaas.config", new AtomicReference<>(SECRET))),
                Arguments.of("no module", with(sasl, "sasl.jaas.config", SECRET)),
                Arguments.of("no quotes", with(sasl, "sasl.jaas.config", login + "a " + SECRET + " b;")),
                Arguments.of("no end", with(sasl, "sasl.jaas.config", login + '"' + SECRET + '"')),
                Arguments.of(
                        "no store",
                        Map.of(
                                "security.protocol",
                                "SSL",
                                "ssl.keystore.location",
                                "/nowhere",
                                "ssl.keystore.password",
                                SECRET)),
                Arguments.of(
                        "no PEM",
                        Map.of(
                                "security.protocol",
                                "SSL",
                                "ssl.keystore.type",
                                "PEM",
                                "ssl.keystore.key",
                                SECRET,
                                "ssl.keystore.certificate.chain",
                                SECRET)));
    }

    private static Map<String, Object> with(Map<String, Object> some, String name, Object value) {
        Map<String, Object> all = new HashMap<>(some);
        all.put(name, value);
        return all;
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @MethodSource("mistakes")
    @DisplayName("B52 a wrong configuration is refused at start in one sentence that shows no secret")
    void mistakes(String what, Map<String, Object> config) {
        Map<String, Object> all = new HashMap<>(config);
        all.putIfAbsent("bootstrap.servers", "127.0.0.1:1");
        all.putIfAbsent("group.id", "g");
        Throwable failure = catchThrowable(() ->
                Laneway.consumer(all).subscribe("topic").process(record -> {}).close(Duration.ZERO));
        assertThat(failure).isInstanceOf(ConfigurationException.class);
        assertThat(failure.getMessage()).doesNotContain("\n");
        say(failure);
        assertNothingSecretWasSaid();
    }

    @Test
    @DisplayName("descriptions of a start show names of properties, not their values")
    void descriptions() {
        LaunchSettings settings = new LaunchSettings(
                Map.of("sasl.jaas.config", SECRET),
                Map.of("ssl.key.password", SECRET),
                Options.DEFAULTS,
                new TopicSelection.Topics(List.of("topic")),
                null,
                new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}));
        ConsumerLaunch launch = new ConsumerLaunch(settings, null, new RebalanceListener() {});
        said.add(launch.toString());
        said.add(Options.DEFAULTS.toString());
        assertThat(launch.toString()).contains("sasl.jaas.config", "ssl.key.password");
        assertNothingSecretWasSaid();
    }
}
