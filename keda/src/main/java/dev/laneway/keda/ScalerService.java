package dev.laneway.keda;

import dev.laneway.ops.scale.ScalingPolicy;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What KEDA calls. What is not known is UNAVAILABLE, upon which KEDA leaves the workload as it is or takes its
 * fallback; it is never 0 and never inactive. Thread-safe.
 */
final class ScalerService {
    /** The name in the proto file. */
    static final String NAME = "externalscaler.ExternalScaler";

    /** As KEDA has it in a HorizontalPodAutoscaler, with the number of the trigger, or without. */
    private static final Pattern METRIC = Pattern.compile("(s\\d+-)?" + MetricValue.NAME);

    private final GroupWatches watches;
    private final ScalingPolicy usual;
    private final Predicate<ScalingPolicy> isOftenEnough;
    private final AtomicLong answers = new AtomicLong();
    private final AtomicLong unavailable = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /** @param usual and {@code isOftenEnough}: see {@link Trigger#of} */
    ScalerService(GroupWatches watches, ScalingPolicy usual, Predicate<ScalingPolicy> isOftenEnough) {
        this.watches = watches;
        this.usual = usual;
        this.isOftenEnough = isOftenEnough;
    }

    private enum Bytes implements Marshaller<byte[]> {
        PLAIN;

        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes(); // The server bounds messages.
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    private interface Answer {
        byte[] to(byte[] request);
    }

    private interface Stream {
        void open(byte[] request, ServerCallStreamObserver<byte[]> client);
    }

    ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(NAME)
                .addMethod(method("IsActive", MethodType.UNARY), unary(this::isActive))
                .addMethod(method("GetMetricSpec", MethodType.UNARY), unary(this::metricSpec))
                .addMethod(method("GetMetrics", MethodType.UNARY), unary(this::metrics))
                .addMethod(method("StreamIsActive", MethodType.SERVER_STREAMING), streaming(this::streamIsActive))
                .addMethod(method("StreamMetricSpec", MethodType.SERVER_STREAMING), streaming(this::streamMetricSpec))
                .build();
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        return MethodDescriptor.newBuilder(Bytes.PLAIN, Bytes.PLAIN)
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
                .build();
    }

    private ServerCallHandler<byte[], byte[]> unary(Answer answer) {
        return ServerCalls.asyncUnaryCall((request, client) -> answered(client, () -> {
            client.onNext(answer.to(request));
            client.onCompleted();
        }));
    }

    private ServerCallHandler<byte[], byte[]> streaming(Stream stream) {
        return ServerCalls.asyncServerStreamingCall((request, client) ->
                answered(client, () -> stream.open(request, (ServerCallStreamObserver<byte[]>) client)));
    }

    private void answered(StreamObserver<byte[]> client, Runnable call) {
        try {
            call.run();
            answers.incrementAndGet();
        } catch (StatusRuntimeException no) {
            (no.getStatus().getCode() == Status.Code.UNAVAILABLE ? unavailable : refused).incrementAndGet();
            client.onError(no);
        }
    }

    private byte[] isActive(byte[] request) {
        Known _ = known(watch(scaledObject(request)));
        return ScalerMessages.active(true);
    }

    private byte[] metricSpec(byte[] request) {
        GroupWatch _ = watch(scaledObject(request));
        return ScalerMessages.metricSpec(MetricValue.NAME, MetricValue.TARGET);
    }

    private byte[] metrics(byte[] request) {
        ScalerMessages.MetricsRequest asks;
        try {
            asks = ScalerMessages.metricsRequest(request);
        } catch (IOException malformed) {
            throw malformed(malformed);
        }
        if (!METRIC.matcher(asks.metricName()).matches()) {
            throw Status.INVALID_ARGUMENT
                    .withDescription("the metric is '" + asks.metricName() + "' but must be " + MetricValue.NAME
                            + ": take the name that GetMetricSpec gives")
                    .asRuntimeException();
        }
        Known known = known(watch(asks.scaledObject()));
        return ScalerMessages.metricValue(MetricValue.NAME, MetricValue.of(known.wanted(), known.seen()));
    }

    private void streamIsActive(byte[] request, ServerCallStreamObserver<byte[]> client) {
        open(watch(scaledObject(request)), client, true);
    }

    private void streamMetricSpec(byte[] request, ServerCallStreamObserver<byte[]> client) {
        GroupWatch watch = watch(scaledObject(request));
        client.onNext(ScalerMessages.metricSpec(MetricValue.NAME, MetricValue.TARGET));
        open(watch, client, false);
    }

    private static void open(GroupWatch watch, ServerCallStreamObserver<byte[]> client, boolean isOfActivity) {
        if (!watch.streams().add(client, isOfActivity)) {
            throw Status.RESOURCE_EXHAUSTED
                    .withDescription(
                            "too many streams are open for " + watch.trigger().name() + ": close some")
                    .asRuntimeException();
        }
    }

    private static ScaledObjectRef scaledObject(byte[] request) {
        try {
            return ScalerMessages.scaledObject(request);
        } catch (IOException malformed) {
            throw malformed(malformed);
        }
    }

    private static StatusRuntimeException malformed(IOException why) {
        return Status.INVALID_ARGUMENT
                .withDescription("the request is no message of KEDA (" + why.getMessage() + "): ask as KEDA does")
                .asRuntimeException();
    }

    private GroupWatch watch(ScaledObjectRef asks) {
        Trigger trigger;
        try {
            trigger = Trigger.of(asks, usual, isOftenEnough);
        } catch (IllegalArgumentException wrong) {
            throw Status.INVALID_ARGUMENT.withDescription(wrong.getMessage()).asRuntimeException();
        }
        GroupWatch watch = watches.of(trigger);
        if (watch == null) {
            throw Status.RESOURCE_EXHAUSTED
                    .withDescription("the scaler watches " + watches.size()
                            + " triggers, as many as --triggers allows: raise it, or run another scaler")
                    .asRuntimeException();
        }
        return watch;
    }

    private record Known(int wanted, int seen) {}

    private static Known known(GroupWatch watch) {
        ScalingAdvice advice = watch.advice();
        Integer wanted = advice.wanted();
        if (wanted == null) {
            throw Status.UNAVAILABLE
                    .withDescription(
                            "what group " + watch.trigger().group() + " needs is not known: " + advice.reason())
                    .asRuntimeException();
        }
        return new Known(wanted, advice.seen());
    }

    /** Calls that got an answer, or a stream. */
    long answers() {
        return answers.get();
    }

    /** Calls for what was not known. */
    long unavailable() {
        return unavailable.get();
    }

    /** Calls that were wrong, or too many. */
    long refused() {
        return refused.get();
    }
}
