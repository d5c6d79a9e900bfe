package dev.laneway;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Intercepts the calls of a real client, to make some fail or to watch them. */
@FunctionalInterface
public interface Around {
    /**
     * Called instead of the client's method.
     *
     * @param real makes the real call
     */
    @Nullable
    Object call(String method, Object[] arguments, Callable<@Nullable Object> real) throws Exception;

    /** A real consumer whose every call goes through this. */
    @SuppressWarnings("unchecked")
    default Consumer<byte[], byte[]> consumer(Map<String, Object> config) {
        return (Consumer<byte[], byte[]>) around(
                Consumer.class, new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    /** A real producer whose every call goes through this. */
    @SuppressWarnings("unchecked")
    default Producer<byte[], byte[]> producer(Map<String, Object> config) {
        return (Producer<byte[], byte[]>) around(
                Producer.class, new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    /** A real client of a share group whose every call goes through this. */
    @SuppressWarnings("unchecked")
    default ShareConsumer<byte[], byte[]> shareConsumer(Map<String, Object> config) {
        return (ShareConsumer<byte[], byte[]>) around(
                ShareConsumer.class,
                new KafkaShareConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    private Object around(Class<?> kind, Object client) {
        return Proxy.newProxyInstance(
                Around.class.getClassLoader(),
                new Class<?>[] {kind},
                (proxy, method, arguments) ->
                        call(method.getName(), arguments == null ? new Object[0] : arguments, () -> {
                            try {
                                return method.invoke(client, arguments);
                            } catch (InvocationTargetException failure) {
                                if (failure.getCause() instanceof Exception cause) {
                                    throw cause;
                                }
                                throw failure;
                            }
                        }));
    }
}
