package dev.laneway.keda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ScalerMessagesTest {
    private static final Map<String, String> METADATA = Map.of("group", "shop", "replicas.max", "12", "zone", "");

    private static DynamicMessage answer(String type, byte[] bytes) throws InvalidProtocolBufferException {
        return DynamicMessage.parseFrom(ScalerClient.FILE.findMessageTypeByName(type), bytes);
    }

    @Test
    @DisplayName("B203 messages are those of the proto file, as protobuf reads and writes them")
    void agree() throws IOException {
        DynamicMessage asks = ScalerClient.scaledObject("prod", "shop", METADATA);
        ScaledObjectRef shop = new ScaledObjectRef("shop", "prod", METADATA);
        assertThat(ScalerMessages.scaledObject(asks.toByteArray())).isEqualTo(shop);
        assertThat(ScalerMessages.metricsRequest(
                        ScalerClient.metricsRequest(asks, "s0-m").toByteArray()))
                .isEqualTo(new ScalerMessages.MetricsRequest(shop, "s0-m"));
        assertThat(ScalerClient.field(answer("IsActiveResponse", ScalerMessages.active(true)), "result"))
                .isEqualTo(true);
        DynamicMessage spec =
                ScalerClient.only(answer("GetMetricSpecResponse", ScalerMessages.metricSpec("m", 1)), "metricSpecs");
        assertThat(spec.getAllFields().values()).containsExactly("m", 1L, 1.0);
        DynamicMessage value =
                ScalerClient.only(answer("GetMetricsResponse", ScalerMessages.metricValue("m", 7.05)), "metricValues");
        assertThat(value.getAllFields().values()).containsExactly("m", 8L, 7.05);
    }

    @Test
    @DisplayName("B203 fields of later versions are passed over, and what is no message is refused")
    void foreign() throws IOException {
        UnknownFieldSet later = UnknownFieldSet.newBuilder()
                .addField(9, UnknownFieldSet.Field.newBuilder().addFixed64(7).build())
                .build();
        DynamicMessage asks = ScalerClient.scaledObject("prod", "shop", METADATA).toBuilder()
                .setUnknownFields(later)
                .build();
        assertThat(ScalerMessages.scaledObject(asks.toByteArray()).metadata()).isEqualTo(METADATA);
        Map<String, String> many = new HashMap<>();
        for (int i = 0; i < 201; i++) {
            many.put("key" + i, "");
        }
        byte[] large = ScalerClient.scaledObject("prod", "shop", many).toByteArray();
        assertThatThrownBy(() -> ScalerMessages.scaledObject(large)).hasMessageContaining("more than 200 entries");
        Random random = new Random(203);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = asks.toByteArray();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            try {
                ScalerMessages.scaledObject(bytes);
                ScalerMessages.metricsRequest(bytes);
            } catch (IOException wrong) {
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 19_999);
    }
}
