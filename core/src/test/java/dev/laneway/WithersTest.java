package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.stream.CommitterSettings;
import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.ProducerSettings;
import dev.laneway.stream.TransactionSettings;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The one idiom of settings, docs/adr/0023: withers name a component by text, which nothing but this test checks. */
class WithersTest {
    private static final List<Record> SETTINGS = List.of(
            Options.DEFAULTS,
            Limits.DEFAULTS,
            ConsumerSettings.of(Map.of("group.id", "g"), new StringDeserializer(), new StringDeserializer()),
            ProducerSettings.of(
                    Map.of("bootstrap.servers", "here:9092"), new StringSerializer(), new StringSerializer()),
            TransactionSettings.of("id", new StringSerializer(), new StringSerializer()),
            CommitterSettings.DEFAULTS);

    /** What {@code of} is given, and Kafka's properties, which {@code withProperty} changes one by one. */
    private static final Map<Class<?>, Set<String>> GIVEN = Map.of(
            ConsumerSettings.class,
            Set.of("kafkaConfig", "keyDeserializer", "valueDeserializer"),
            ProducerSettings.class,
            Set.of("kafkaConfig", "keySerializer", "valueSerializer", "producer"),
            TransactionSettings.class,
            Set.of("kafkaConfig", "keySerializer", "valueSerializer", "transactionalId"));

    /** What the builder's methods are called that are not named as the option is. */
    private static final Map<String, String> OF_THE_BUILDER =
            Map.of("failurePolicy", "onFailure", "startPosition", "startAt");

    /** {@code withCommitsByHand} says so instead. */
    private static final Set<String> NOT_SET_TO_NULL = Set.of("commitInterval");

    private static final Map<Class<?>, Object> VALUES = Map.ofEntries(
            Map.entry(Duration.class, Duration.ofSeconds(7)),
            Map.entry(String.class, "other"),
            Map.entry(FailurePolicy.class, FailurePolicy.skip()),
            Map.entry(CommitMode.class, CommitMode.ahead()),
            Map.entry(Workers.class, Workers.cpuBound(7)),
            Map.entry(LaneKey.class, LaneKey.header("customer")),
            Map.entry(NotBefore.class, NotBefore.header("due")),
            Map.entry(StartPosition.class, StartPosition.latest()),
            Map.entry(Limits.class, Limits.DEFAULTS.withCloseLimit(Duration.ofSeconds(8))),
            Map.entry(RebalanceListener.class, new RebalanceListener() {}),
            Map.entry(List.class, List.of((LanewayObserver.Factory) _ -> new LanewayObserver() {})),
            Map.entry(Supplier.class, (Supplier<Object>) Object::new));

    static Stream<Arguments> components() {
        return SETTINGS.stream()
                .flatMap(settings -> withers(settings)
                        .map(component -> Arguments.of(
                                settings.getClass().getSimpleName() + "." + component.getName(), settings, component)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("components")
    @DisplayName("each component has a wither, which changes it and leaves all others")
    void changesOne(String name, Record settings, RecordComponent component) throws Exception {
        Object value = other(settings, component);
        assertThat(value).isNotEqualTo(get(settings, component));
        assertThat(values(with(settings, component, value))).isEqualTo(changed(settings, component, value));

        Record different = settings; // In all that withers reach, so that none may fall back to its default.
        for (RecordComponent each : withers(settings).toList()) {
            different = with(different, each, other(settings, each));
        }
        assertThat(values(with(different, component, get(settings, component))))
                .isEqualTo(changed(different, component, get(settings, component)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("components")
    @DisplayName("B52 null is a value only where the record says so; elsewhere it is refused by name")
    void refusesNull(String name, Record settings, RecordComponent component) throws Exception {
        if (component.getType().isPrimitive()) {
            return;
        }
        if (component.getAnnotatedType().isAnnotationPresent(Nullable.class)
                && !NOT_SET_TO_NULL.contains(component.getName())) {
            assertThat(get(with(settings, component, null), component)).isNull();
        } else {
            assertThatThrownBy(() -> with(settings, component, null))
                    .cause()
                    .isInstanceOfAny(ConfigurationException.class, NullPointerException.class)
                    .message()
                    .contains(component.getName())
                    .doesNotContain("Cannot invoke");
        }
    }

    static Stream<RecordComponent> limits() {
        return Arrays.stream(Limits.class.getRecordComponents());
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("settings of streams have a wither for each limit, which changes that limit and leaves all others")
    void streamsHaveEachLimit(RecordComponent limit) throws Exception {
        ConsumerSettings<?, ?> settings = (ConsumerSettings<?, ?>) SETTINGS.get(2);
        Object value = other(settings.limits(), limit);
        assertThat(with(settings, limit, value))
                .isEqualTo(settings.withLimits((Limits) with(settings.limits(), limit, value)));
    }

    static Stream<Arguments> optionsAndLimits() {
        return components()
                .filter(each -> Set.of(Options.DEFAULTS, Limits.DEFAULTS).contains(each.get()[1]));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("optionsAndLimits")
    @DisplayName("the builder has a method for each option and limit, which changes it and leaves all others")
    void builderHasEach(String name, Record settings, RecordComponent component) throws Exception {
        Object value = other(settings, component);
        LanewayBuilder<byte[], byte[]> builder = Laneway.consumer(Map.of()).name("orders");
        builder.closeOnShutdown(component.getName().equals("closeOnShutdown"));
        String method = OF_THE_BUILDER.getOrDefault(component.getName(), component.getName());
        Options before = options(builder);
        LanewayBuilder.class.getMethod(method, component.getType()).invoke(builder, value);
        assertThat(options(builder))
                .isEqualTo(
                        settings instanceof Limits
                                ? before.withLimits((Limits) with(before.limits(), component, value))
                                : with(before, component, value));
    }

    private static Options options(LanewayBuilder<?, ?> builder) throws ReflectiveOperationException {
        var field = LanewayBuilder.class.getDeclaredField("options");
        field.setAccessible(true);
        return (Options) field.get(builder);
    }

    private static Stream<RecordComponent> withers(Record settings) {
        return Arrays.stream(settings.getClass().getRecordComponents())
                .filter(component ->
                        !GIVEN.getOrDefault(settings.getClass(), Set.of()).contains(component.getName()));
    }

    private static Record with(Record settings, RecordComponent component, @Nullable Object value)
            throws ReflectiveOperationException {
        String name = component.getName();
        Method wither = settings.getClass()
                .getMethod("with" + Character.toUpperCase(name.charAt(0)) + name.substring(1), component.getType());
        return (Record) wither.invoke(settings, value);
    }

    private static Map<String, @Nullable Object> values(Record settings) throws ReflectiveOperationException {
        Map<String, @Nullable Object> values = new HashMap<>();
        for (RecordComponent component : settings.getClass().getRecordComponents()) {
            values.put(component.getName(), get(settings, component));
        }
        return values;
    }

    private static Map<String, @Nullable Object> changed(
            Record settings, RecordComponent component, @Nullable Object value) throws ReflectiveOperationException {
        Map<String, @Nullable Object> values = values(settings);
        values.put(component.getName(), value);
        return values;
    }

    private static @Nullable Object get(Record settings, RecordComponent component)
            throws ReflectiveOperationException {
        return component.getAccessor().invoke(settings);
    }

    /** A value that the component may have, and does not have by default. */
    private static Object other(Record settings, RecordComponent component) throws ReflectiveOperationException {
        Class<?> type = component.getType();
        Object value = get(settings, component);
        if (value instanceof Enum<?>) {
            return Arrays.stream(type.getEnumConstants())
                    .filter(constant -> !constant.equals(value))
                    .findFirst()
                    .orElseThrow();
        }
        return switch (value) {
            case Boolean flag -> !flag;
            case Integer number -> number + 7;
            case Long number -> number + 7;
            case null, default -> VALUES.get(type);
        };
    }
}
