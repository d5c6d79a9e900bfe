package dev.laneway.keda;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The messages of src/main/proto/externalscaler.proto. Fields that it does not have are passed over, as protobuf has
 * it. Pure functions.
 */
final class ScalerMessages {
    private static final int FIRST = 1;
    private static final int SECOND = 2;
    private static final int THIRD = 3;
    /** Tags of those fields where they are texts or messages. */
    private static final int FIRST_BYTES = (FIRST << 3) | 2;

    private static final int SECOND_BYTES = (SECOND << 3) | 2;
    private static final int THIRD_BYTES = (THIRD << 3) | 2;
    /** More than a ScaledObject has; each entry costs memory. */
    private static final int MOST_METADATA = 200;

    private ScalerMessages() {}

    /** A question for a metric. Immutable. */
    record MetricsRequest(ScaledObjectRef scaledObject, String metricName) {}

    /** @throws IOException if it is no such message */
    static ScaledObjectRef scaledObject(byte[] message) throws IOException {
        return scaledObject(CodedInputStream.newInstance(message));
    }

    private static ScaledObjectRef scaledObject(CodedInputStream in) throws IOException {
        String name = "";
        String namespace = "";
        Map<String, String> metadata = new HashMap<>();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case FIRST_BYTES -> name = in.readStringRequireUtf8();
                case SECOND_BYTES -> namespace = in.readStringRequireUtf8();
                case THIRD_BYTES -> {
                    entry(CodedInputStream.newInstance(in.readByteArray()), metadata);
                    if (metadata.size() > MOST_METADATA) {
                        throw new IOException("more than " + MOST_METADATA + " entries of metadata");
                    }
                }
                default -> in.skipField(tag);
            }
        }
        return new ScaledObjectRef(name, namespace, metadata);
    }

    private static void entry(CodedInputStream in, Map<String, String> metadata) throws IOException {
        String key = "";
        String value = "";
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case FIRST_BYTES -> key = in.readStringRequireUtf8();
                case SECOND_BYTES -> value = in.readStringRequireUtf8();
                default -> in.skipField(tag);
            }
        }
        metadata.put(key, value);
    }

    /** @throws IOException if it is no such message */
    static MetricsRequest metricsRequest(byte[] message) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(message);
        ScaledObjectRef scaledObject = new ScaledObjectRef("", "", Map.of());
        String metricName = "";
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag) {
                case FIRST_BYTES -> scaledObject = scaledObject(in.readByteArray());
                case SECOND_BYTES -> metricName = in.readStringRequireUtf8();
                default -> in.skipField(tag);
            }
        }
        return new MetricsRequest(scaledObject, metricName);
    }

    /** An IsActiveResponse. */
    static byte[] active(boolean isActive) {
        byte[] message = new byte[CodedOutputStream.computeBoolSize(FIRST, isActive)];
        write(message, out -> out.writeBool(FIRST, isActive));
        return message;
    }

    /** A GetMetricSpecResponse with one metric. */
    static byte[] metricSpec(String name, double target) {
        return list(metric(name, target));
    }

    /** A GetMetricsResponse with one value. */
    static byte[] metricValue(String name, double value) {
        return list(metric(name, value));
    }

    /** MetricSpec and MetricValue have the same form: a name, a whole number for those who know no other, a number. */
    private static byte[] metric(String name, double number) {
        long whole = (long) Math.ceil(number);
        byte[] message = new byte
                [CodedOutputStream.computeStringSize(FIRST, name)
                        + CodedOutputStream.computeInt64Size(SECOND, whole)
                        + CodedOutputStream.computeDoubleSize(THIRD, number)];
        write(message, out -> {
            out.writeString(FIRST, name);
            out.writeInt64(SECOND, whole);
            out.writeDouble(THIRD, number);
        });
        return message;
    }

    private static byte[] list(byte[] only) {
        byte[] message = new byte[CodedOutputStream.computeByteArraySize(FIRST, only)];
        write(message, out -> out.writeByteArray(FIRST, only));
        return message;
    }

    private interface Fields {
        void to(CodedOutputStream out) throws IOException;
    }

    private static void write(byte[] message, Fields fields) {
        CodedOutputStream out = CodedOutputStream.newInstance(message);
        try {
            fields.to(out);
        } catch (IOException full) {
            throw new UncheckedIOException(full);
        }
        out.checkNoSpaceLeft();
    }
}
