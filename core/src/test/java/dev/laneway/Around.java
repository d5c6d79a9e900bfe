package dev.laneway;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Stands around the calls of a real consumer, to spoil or to watch some of them. */
@FunctionalInterface
interface Around {
    /**
     * Called instead of the consumer's method.
     *
     * @param real makes the real call
     */
    @Nullable
    Object call(String method, Object[] arguments, Callable<@Nullable Object> real) throws Exception;

    /** A real consumer whose every call goes through this. */
    @SuppressWarnings("unchecked")
    default Consumer<byte[], byte[]> consumer(Map<String, Object> config) {
        Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                Around.class.getClassLoader(),
                new Class<?>[] {Consumer.class},
                (proxy, method, arguments) ->
                        call(method.getName(), arguments == null ? new Object[0] : arguments, () -> {
                            try {
                                return method.invoke(consumer, arguments);
                            } catch (InvocationTargetException failure) {
                                if (failure.getCause() instanceof Exception cause) {
                                    throw cause;
                                }
                                throw failure;
                            }
                        }));
    }
}
