package dev.laneway.metrics;

import dev.laneway.LanewayObserver;
import java.lang.reflect.Proxy;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * The Kafka consumers of a Laneway as Micrometer's binder asks for one: it calls {@code metrics()} and nothing else.
 */
final class ClientView {
    private ClientView() {}

    @SuppressWarnings("unchecked") // The binder does not look at records.
    static Consumer<byte[], byte[]> of(LanewayObserver.Subject subject) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                ClientView.class.getClassLoader(), new Class<?>[] {Consumer.class}, (self, method, arguments) -> {
                    if (method.getName().equals("metrics")) {
                        return subject.clientMetrics();
                    }
                    throw new UnsupportedOperationException(method.getName() + " of a view of metrics");
                });
    }
}
