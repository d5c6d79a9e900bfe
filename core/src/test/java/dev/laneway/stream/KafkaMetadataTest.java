package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Its answers beside a stream are in {@link PartitionedSourceTest}. */
@Timeout(60)
@DisplayName("KafkaMetadata")
class KafkaMetadataTest {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    @Test
    @DisplayName("B75 after a question without an answer in time the next one is answered with what is committed now")
    void answersAreNew() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().network("slow").start()) {
            kafka.createTopic("shop", 1);
            List<TopicPartition> partitions = List.of(new TopicPartition("shop", 0));
            var network = kafka.network("slow");
            var settings = ConsumerSettings.of(
                            Map.of(
                                    "bootstrap.servers",
                                    network.bootstrapServers(),
                                    "group.id",
                                    "shop",
                                    "group.protocol",
                                    "classic",
                                    "enable.auto.commit",
                                    "false"),
                            new StringDeserializer(),
                            new StringDeserializer())
                    .withBrokerLimit(LIMIT);
            try (KafkaMetadata metadata = KafkaMetadata.of(settings)) {
                assertThat(get(metadata.committed(partitions))).isEmpty();
                network.all(proxy -> proxy.delay(TcpProxy.Direction.TO_CLIENT, LIMIT.multipliedBy(2)));
                assertThatThrownBy(() -> get(metadata.committed(partitions)))
                        .hasCauseInstanceOf(TimeoutException.class);
                try (Consumer<byte[], byte[]> other = kafka.consumer("shop")) {
                    other.commitSync(Map.of(partitions.getFirst(), new OffsetAndMetadata(7)));
                }
                network.all(TcpProxy::heal);
                assertThat(get(metadata.committed(partitions)))
                        .containsEntry(partitions.getFirst(), new OffsetAndMetadata(7));
            }
        }
    }

    private static <T> T get(CompletionStage<T> answer) throws ExecutionException, InterruptedException {
        return answer.toCompletableFuture().get();
    }
}
