package dev.laneway.keda;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A client whose messages are protobuf's own, of the proto file: so that what our code reads and writes is compared
 * with that file. Thread-safe.
 */
final class ScalerClient implements AutoCloseable {
    private static final Pattern MESSAGE = Pattern.compile("message (\\w+) \\{([^}]*)}");
    private static final Pattern FIELD = Pattern.compile("(repeated )?(map<string, string>|\\w+) (\\w+) = (\\d+);");
    private static final Pattern CALL = Pattern.compile("rpc (\\w+)\\((\\w+)\\) returns \\((stream )?(\\w+)\\);");
    private static final String PROTO = read(Path.of("src/main/proto/externalscaler.proto"));
    static final FileDescriptor FILE = file();

    private final ManagedChannel channel;

    ScalerClient(ManagedChannel channel) {
        this.channel = channel;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    private static FileDescriptor file() {
        FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder()
                .setName("it")
                .setPackage("externalscaler")
                .setSyntax("proto3");
        MESSAGE.matcher(PROTO).results().forEach(message -> file.addMessageType(message(message)));
        try {
            return FileDescriptor.buildFrom(file.build(), new FileDescriptor[0]);
        } catch (DescriptorValidationException wrong) {
            throw new AssertionError(wrong);
        }
    }

    private static DescriptorProto message(MatchResult found) {
        DescriptorProto.Builder message = DescriptorProto.newBuilder().setName(found.group(1));
        FIELD.matcher(found.group(2)).results().forEach(field -> {
            FieldDescriptorProto.Builder made = FieldDescriptorProto.newBuilder()
                    .setName(field.group(3))
                    .setNumber(Integer.parseInt(field.group(4)))
                    .setLabel(
                            field.group(1) == null
                                    ? FieldDescriptorProto.Label.LABEL_OPTIONAL
                                    : FieldDescriptorProto.Label.LABEL_REPEATED);
            switch (field.group(2)) {
                case "string" -> made.setType(FieldDescriptorProto.Type.TYPE_STRING);
                case "bool" -> made.setType(FieldDescriptorProto.Type.TYPE_BOOL);
                case "int64" -> made.setType(FieldDescriptorProto.Type.TYPE_INT64);
                case "double" -> made.setType(FieldDescriptorProto.Type.TYPE_DOUBLE);
                case "map<string, string>" -> {
                    message.addNestedType(DescriptorProto.newBuilder()
                            .setName("ScalerMetadataEntry")
                            .setOptions(MessageOptions.newBuilder().setMapEntry(true))
                            .addField(text("key", 1))
                            .addField(text("value", 2)));
                    made.setLabel(FieldDescriptorProto.Label.LABEL_REPEATED)
                            .setType(FieldDescriptorProto.Type.TYPE_MESSAGE)
                            .setTypeName(".externalscaler.ScaledObjectRef.ScalerMetadataEntry");
                }
                default ->
                    made.setType(FieldDescriptorProto.Type.TYPE_MESSAGE)
                            .setTypeName(".externalscaler." + field.group(2));
            }
            message.addField(made);
        });
        return message.build();
    }

    private static FieldDescriptorProto.Builder text(String name, int number) {
        return FieldDescriptorProto.newBuilder()
                .setName(name)
                .setNumber(number)
                .setType(FieldDescriptorProto.Type.TYPE_STRING)
                .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL);
    }

    /** A message as KEDA sends it. */
    static DynamicMessage scaledObject(String namespace, String name, Map<String, String> metadata) {
        Descriptor type = FILE.findMessageTypeByName("ScaledObjectRef");
        FieldDescriptor map = type.findFieldByName("scalerMetadata");
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type)
                .setField(type.findFieldByName("name"), name)
                .setField(type.findFieldByName("namespace"), namespace);
        metadata.forEach((key, value) -> message.addRepeatedField(
                map,
                DynamicMessage.newBuilder(map.getMessageType())
                        .setField(map.getMessageType().findFieldByName("key"), key)
                        .setField(map.getMessageType().findFieldByName("value"), value)
                        .build()));
        return message.build();
    }

    static DynamicMessage metricsRequest(DynamicMessage scaledObject, String metric) {
        Descriptor type = FILE.findMessageTypeByName("GetMetricsRequest");
        return DynamicMessage.newBuilder(type)
                .setField(type.findFieldByName("scaledObjectRef"), scaledObject)
                .setField(type.findFieldByName("metricName"), metric)
                .build();
    }

    static Object field(DynamicMessage message, String name) {
        return message.getField(message.getDescriptorForType().findFieldByName(name));
    }

    /** The only one of a list. */
    static DynamicMessage only(DynamicMessage message, String name) {
        List<?> list = (List<?>) field(message, name);
        if (list.size() != 1) {
            throw new AssertionError(message);
        }
        return (DynamicMessage) list.getFirst();
    }

    private static MethodDescriptor<DynamicMessage, DynamicMessage> method(String name) {
        MatchResult call = CALL.matcher(PROTO)
                .results()
                .filter(found -> found.group(1).equals(name))
                .findFirst()
                .orElseThrow();
        return MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
                .setType(call.group(3) == null ? MethodType.UNARY : MethodType.SERVER_STREAMING)
                .setFullMethodName("externalscaler.ExternalScaler/" + name)
                .setRequestMarshaller(ProtoUtils.marshaller(
                        DynamicMessage.getDefaultInstance(FILE.findMessageTypeByName(call.group(2)))))
                .setResponseMarshaller(ProtoUtils.marshaller(
                        DynamicMessage.getDefaultInstance(FILE.findMessageTypeByName(call.group(4)))))
                .build();
    }

    DynamicMessage ask(String method, DynamicMessage request) {
        return ClientCalls.blockingUnaryCall(
                channel, method(method), CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS), request);
    }

    /** Why a call fails. */
    Status refusal(String method, DynamicMessage request) {
        try {
            throw new AssertionError("no failure, but " + ask(method, request));
        } catch (StatusRuntimeException failed) {
            return failed.getStatus();
        }
    }

    /** Why a call of any service fails that gets these bytes. */
    Status bytes(String method, byte[] request) {
        MethodDescriptor<byte[], byte[]> plain = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(method)
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(new Bytes())
                .build();
        try {
            throw new AssertionError("no failure, but "
                    + ClientCalls.blockingUnaryCall(channel, plain, CallOptions.DEFAULT, request).length);
        } catch (StatusRuntimeException failed) {
            return failed.getStatus();
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    /** What a stream tells, and at its end why it has ended. */
    static final class Told implements StreamObserver<DynamicMessage> {
        private final List<DynamicMessage> messages = new ArrayList<>();
        private Status end;

        @Override
        public synchronized void onNext(DynamicMessage message) {
            messages.add(message);
        }

        @Override
        public synchronized void onError(Throwable failed) {
            end = Status.fromThrowable(failed);
        }

        @Override
        public synchronized void onCompleted() {
            end = Status.OK;
        }

        synchronized List<DynamicMessage> messages() {
            return List.copyOf(messages);
        }

        synchronized Status end() {
            return end;
        }
    }

    Told stream(String method, DynamicMessage request) {
        Told told = new Told();
        ClientCalls.asyncServerStreamingCall(channel.newCall(method(method), CallOptions.DEFAULT), request, told);
        return told;
    }

    /** Asks as KEDA does, and returns the metric's value. */
    double value(DynamicMessage scaledObject) {
        DynamicMessage answer = ask("GetMetrics", metricsRequest(scaledObject, MetricValue.NAME));
        return (Double) field(only(answer, "metricValues"), "metricValueFloat");
    }

    /** Goes away without a word to streams that are open. */
    @Override
    public void close() {
        channel.shutdownNow();
    }
}
