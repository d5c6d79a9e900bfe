package dev.laneway.tracing;

import dev.laneway.LanewayObserver;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Makes the spans of one consumer. Thread-safe. */
final class TracedConsumer implements LanewayObserver {
    // OpenTelemetry's conventions for messaging, which are still in development there.
    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> TYPE = AttributeKey.stringKey("messaging.operation.type");
    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> TOPIC = AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> PARTITION = AttributeKey.stringKey("messaging.destination.partition.id");
    private static final AttributeKey<String> GROUP = AttributeKey.stringKey("messaging.consumer.group.name");
    private static final AttributeKey<String> CLIENT = AttributeKey.stringKey("messaging.client.id");
    private static final AttributeKey<Long> OFFSET = AttributeKey.longKey("messaging.kafka.offset");
    private static final AttributeKey<Long> COUNT = AttributeKey.longKey("messaging.batch.message_count");
    private static final AttributeKey<Boolean> TOMBSTONE = AttributeKey.booleanKey("messaging.kafka.message.tombstone");
    private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
    // Ours.
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("laneway.attempt");
    private static final AttributeKey<String> KEY_HASH = AttributeKey.stringKey("laneway.key.hash");

    private final Tracer tracer;
    private final HeaderPropagation propagation;
    private final boolean agentSends;
    private final Attributes processing;
    private final Attributes sending;

    TracedConsumer(Tracer tracer, HeaderPropagation propagation, Subject consumer) {
        this.tracer = tracer;
        this.propagation = propagation;
        this.agentSends = consumer.clientsAreTraced();
        this.sending = operation("send", consumer.name()).build();
        AttributesBuilder processes = operation("process", consumer.name());
        consumer.group().ifPresent(group -> processes.put(GROUP, group));
        this.processing = processes.build();
    }

    private static AttributesBuilder operation(String name, String client) {
        return Attributes.builder()
                .put(SYSTEM, "kafka")
                .put(TYPE, name)
                .put(OPERATION, name)
                .put(CLIENT, client);
    }

    @Override
    public boolean tracesAttempts() {
        return true;
    }

    private SpanBuilder process(ConsumerRecord<?, ?> record) {
        return tracer.spanBuilder("process " + record.topic())
                .setSpanKind(SpanKind.CONSUMER)
                .setAllAttributes(processing)
                .setAttribute(TOPIC, record.topic())
                .setAttribute(PARTITION, Integer.toString(record.partition()));
    }

    @Override
    public Attempt attemptStarted(ConsumerRecord<byte[], byte[]> record, int attempt, boolean follows) {
        Context parent = propagation.extract(record.headers());
        Span span = process(record)
                .setParent(parent)
                .setAttribute(OFFSET, record.offset())
                .setAttribute(ATTEMPT, (long) attempt)
                .startSpan();
        if (span.isRecording()) {
            tell(span, record);
        }
        return new TracedAttempt(span, parent.with(span), false);
    }

    private static void tell(Span span, ConsumerRecord<byte[], byte[]> record) {
        String hash = RecordScope.hash(record.key());
        if (hash != null) {
            span.setAttribute(KEY_HASH, hash);
        }
        if (record.value() == null) {
            span.setAttribute(TOMBSTONE, true);
        }
    }

    @Override
    public Attempt batchStarted(List<ConsumerRecord<byte[], byte[]>> records) {
        SpanBuilder batch = process(records.getFirst()).setNoParent().setAttribute(COUNT, (long) records.size());
        for (ConsumerRecord<byte[], byte[]> record : records) {
            SpanContext sent =
                    Span.fromContext(propagation.extract(record.headers())).getSpanContext();
            if (sent.isValid()) {
                batch.addLink(sent, Attributes.of(OFFSET, record.offset()));
            }
        }
        Span span = batch.startSpan();
        return new TracedAttempt(span, Context.root().with(span), true);
    }

    private static void end(Span span, @Nullable Throwable thrown) {
        if (thrown != null) {
            Throwable failure =
                    thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
            span.recordException(failure);
            span.setAttribute(ERROR, failure.getClass().getName());
            span.setStatus(StatusCode.ERROR);
        }
        span.end();
    }

    private static void within(Context context, Runnable code) {
        try (Scope _ = context.makeCurrent()) {
            code.run();
        }
    }

    /** A span of one attempt, or of a batch. */
    private final class TracedAttempt implements Attempt {
        private final Span span;
        private final Context context;
        private final boolean batch;

        TracedAttempt(Span span, Context context, boolean batch) {
            this.span = span;
            this.context = context;
            this.batch = batch;
        }

        @Override
        public void around(Runnable handler) {
            within(context, handler);
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            end(span, failure);
        }

        /**
         * Below the attempt. A batch belongs to the traces of none of its records, so what it sends for one of them is
         * below what that record's headers say, and linked to the batch.
         */
        @Override
        public Sending sends(ConsumerRecord<byte[], byte[]> record, ProducerRecord<byte[], byte[]> output) {
            Context parent = batch ? propagation.extract(record.headers()) : context;
            if (agentSends) {
                propagation.inject(parent, output.headers());
                return new AgentSending(parent);
            }
            SpanBuilder send = tracer.spanBuilder("send " + output.topic())
                    .setSpanKind(SpanKind.PRODUCER)
                    .setParent(parent)
                    .setAllAttributes(sending)
                    .setAttribute(TOPIC, output.topic());
            if (batch) {
                send.addLink(span.getSpanContext());
            }
            Span sent = send.startSpan();
            Context own = parent.with(sent);
            propagation.inject(own, output.headers());
            return new TracedSending(sent, own);
        }
    }

    private record TracedSending(Span span, Context context) implements Sending {
        @Override
        public void around(Runnable send) {
            within(context, send);
        }

        @Override
        public void ended(@Nullable Exception failure) {
            end(span, failure);
        }
    }

    /** The agent makes the span, below what is current when the producer is called. */
    private record AgentSending(Context context) implements Sending {
        @Override
        public void around(Runnable send) {
            within(context, send);
        }

        @Override
        public void ended(@Nullable Exception failure) {
            // The agent hears of it, too.
        }
    }
}
