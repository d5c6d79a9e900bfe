package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** On endpoints that answer well, badly, or not at all. */
class PrometheusSourceTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static Sample read(String text) throws IOException {
        try (RawHttpServer server = RawHttpServer.telling(text);
                PrometheusSource source = PrometheusSource.of(server.url())) {
            assertThat(source.name()).isEqualTo(server.url());
            return source.read(LIMIT);
        }
    }

    private static Metric jvm(String name) {
        return Metric.of(Groups.JVM, name);
    }

    private static Metric jvm(String name, String tag, String value) {
        return Metric.of(Groups.JVM, name, Map.of(tag, value));
    }

    @Test
    @DisplayName("B83 Names that jmx_exporter and its usual rules make are Kafka's again")
    void jmxExporter() throws IOException {
        Sample sample = read("""
            # TYPE kafka_consumer_consumer_metrics_time_between_poll_max untyped
            kafka_consumer_consumer_metrics_time_between_poll_max{client_id="a",} 12.0
            kafka_consumer_consumer_metrics_io_wait_time_ns{client_id="a"} 7.0
            kafka_consumer_consumer_fetch_manager_metrics_records_lag{client_id="a",topic="t",partition="0"} 3
            kafka_consumer_fetch_manager_records_lead_min{clientId="a"} 4
            kafka_consumer_records_lag_max{client_id="a"} 5
            kafka_consumer_last_rebalance_seconds_ago{client_id="a"} 6
            kafka_consumer_app_info_start_time_ms{client_id="a"} 1700000000000
            kafka_consumer_app_info{client_id="a",version="4.3.1"} 1
            kafka_streams_stream_thread_metrics_blocked_time_ns{thread_id="th"} 8
            kafka_streams_stream_state_metrics_block_cache_data_hit_ratio\
            {thread_id="th",task_id="0_1",rocksdb_state_id="s"} NaN
            kafka_streams_stream_state_metrics_size_all_mem_tables{task_id="0_1",rocksdb_state_id="s"} 9
            kafka_streams_stream_state_updater_metrics_idle_ratio{thread_id="u"} 0.5
            kafka_producer_producer_topic_metrics_record_send_total{client_id="p",topic="t"} 10
            kafka_admin_client_admin_client_metrics_request_rate{client_id="ad"} 11
            kafka_server_replicamanager_leadercount 99
            jvm_gc_collection_seconds_sum{gc="G1 Young Generation"} 1.5
            jvm_gc_collection_seconds_count{gc="G1 Young Generation"} 20
            jvm_memory_bytes_used{area="heap"} 100
            jvm_memory_bytes_used{area="nonheap"} 1000
            jvm_memory_bytes_max{area="heap"} 200
            jvm_memory_bytes_max{area="nonheap"} -1
            jvm_memory_pool_collection_used_bytes{pool="G1 Old Gen"} 50
            process_cpu_seconds_total 2.5
            process_start_time_seconds 0
            java_lang_OperatingSystem_AvailableProcessors 4.0
            java_lang_GarbageCollector_CollectionTime{name="G1 Old Generation"} 30.0
            java_lang_Memory_HeapMemoryUsage_used 100
            """);
        Map<String, String> a = Map.of("client-id", "a");
        assertThat(sample.numbers())
                .containsEntry(Metric.of("consumer-metrics", "time-between-poll-max", a), 12.0)
                .containsEntry(Metric.of("consumer-metrics", "io-wait-time-ns-total", a), 7.0)
                .containsEntry(
                        Metric.of(
                                "consumer-fetch-manager-metrics",
                                "records-lag",
                                Map.of("client-id", "a", "topic", "t", "partition", "0")),
                        3.0)
                .containsEntry(Metric.of("consumer-fetch-manager-metrics", "records-lead-min", a), 4.0)
                .containsEntry(Metric.of("consumer-fetch-manager-metrics", "records-lag-max", a), 5.0)
                .containsEntry(Metric.of("consumer-coordinator-metrics", "last-rebalance-seconds-ago", a), 6.0)
                .containsEntry(Metric.of("app-info", "start-time-ms", a), 1.7e12)
                .containsEntry(
                        Metric.of("stream-thread-metrics", "blocked-time-ns-total", Map.of("thread-id", "th")), 8.0)
                .containsEntry(
                        Metric.of(
                                "stream-state-metrics",
                                "size-all-mem-tables",
                                Map.of("task-id", "0_1", "rocksdb-state-id", "s")),
                        9.0)
                .containsEntry(Metric.of("stream-state-updater-metrics", "idle-ratio", Map.of("thread-id", "u")), 0.5)
                .containsEntry(
                        Metric.of(
                                "producer-topic-metrics", "record-send-total", Map.of("client-id", "p", "topic", "t")),
                        10.0)
                .containsEntry(Metric.of("admin-client-metrics", "request-rate", Map.of("client-id", "ad")), 11.0)
                .containsEntry(jvm("gc-time-ms-total", "gc", "G1 Young Generation"), 1500.0)
                .containsEntry(jvm("gc-count-total", "gc", "G1 Young Generation"), 20.0)
                .containsEntry(jvm("gc-time-ms-total", "gc", "G1 Old Generation"), 30.0)
                .containsEntry(jvm("heap-used-bytes"), 100.0)
                .containsEntry(jvm("heap-max-bytes"), 200.0)
                .containsEntry(jvm("heap-after-gc-bytes", "pool", "G1 Old Gen"), 50.0)
                .containsEntry(jvm("process-cpu-ns-total"), 2.5e9)
                .containsEntry(jvm("available-processors"), 4.0)
                .hasSize(21);
        assertThat(sample.numbers().get(jvm("uptime-ms")))
                .isCloseTo((double) System.currentTimeMillis(), within(60_000.0));
        assertThat(sample.texts()).containsExactly(Map.entry(Metric.of("app-info", "version", a), "4.3.1"));
    }

    @Test
    @DisplayName("B83 Names that Micrometer makes are Kafka's again, with labels of the application's kept")
    void micrometer() throws IOException {
        String kafka = "{application=\"shop\",client_id=\"a\",kafka_version=\"4.3.1\",spring_id=\"s.a\"";
        Sample sample = read("""
            kafka_consumer_time_between_poll_max%1$s} 12.0
            kafka_consumer_fetch_manager_records_lag%1$s,partition="0",topic="t"} 3
            kafka_consumer_coordinator_failed_rebalance_total%1$s} 2
            kafka_consumer_connection_count_total%1$s} 5
            kafka_stream_alive_stream_threads%1$s} 4
            kafka_stream_thread_process_ratio{thread_id="th"} 0.25
            kafka_stream_state_updater_idle_ratio{thread_id="u"} 0.75
            kafka_stream_state_block_cache_usage{rocksdb_state_id="s"} 6
            jvm_gc_pause_seconds_count{action="end of minor GC",cause="A",gc="G1 Young"} 2
            jvm_gc_pause_seconds_sum{action="end of minor GC",cause="A",gc="G1 Young"} 0.5
            jvm_gc_pause_seconds_sum{action="end of minor GC",cause="B",gc="G1 Young"} 0.25
            jvm_gc_pause_seconds_max{action="end of minor GC",cause="B",gc="G1 Young"} 0.25
            jvm_memory_used_bytes{area="heap",id="G1 Eden Space"} 10
            jvm_memory_used_bytes{area="heap",id="G1 Old Gen"} 20
            jvm_memory_used_bytes{area="nonheap",id="Metaspace"} 99
            jvm_memory_max_bytes{area="heap",id="G1 Eden Space"} -1.0
            jvm_memory_max_bytes{area="heap",id="G1 Old Gen"} 200
            jvm_gc_live_data_size_bytes 15
            process_cpu_usage 0.125
            process_cpu_time_ns_total 7.0E9
            system_cpu_count 2.0
            process_uptime_seconds 60.5
            """.formatted(kafka));
        Map<String, String> a = Map.of("client-id", "a", "application", "shop");
        assertThat(sample.numbers())
                .containsEntry(Metric.of("consumer-metrics", "time-between-poll-max", a), 12.0)
                .containsEntry(
                        Metric.of(
                                "consumer-fetch-manager-metrics",
                                "records-lag",
                                Map.of("client-id", "a", "application", "shop", "topic", "t", "partition", "0")),
                        3.0)
                .containsEntry(Metric.of("consumer-coordinator-metrics", "failed-rebalance-total", a), 2.0)
                .containsEntry(Metric.of("consumer-metrics", "connection-count", a), 5.0)
                .containsEntry(Metric.of("stream-metrics", "alive-stream-threads", a), 4.0)
                .containsEntry(Metric.of("stream-thread-metrics", "process-ratio", Map.of("thread-id", "th")), 0.25)
                .containsEntry(Metric.of("stream-state-updater-metrics", "idle-ratio", Map.of("thread-id", "u")), 0.75)
                .containsEntry(
                        Metric.of("stream-state-metrics", "block-cache-usage", Map.of("rocksdb-state-id", "s")), 6.0)
                .containsEntry(jvm("gc-count-total", "gc", "G1 Young"), 2.0)
                .containsEntry(jvm("gc-time-ms-total", "gc", "G1 Young"), 750.0)
                .containsEntry(jvm("heap-used-bytes"), 30.0)
                .containsEntry(jvm("heap-max-bytes"), 200.0)
                .containsEntry(jvm("heap-after-gc-bytes", "pool", "long-lived"), 15.0)
                .containsEntry(jvm("process-cpu-share"), 0.125)
                .containsEntry(jvm("process-cpu-ns-total"), 7e9)
                .containsEntry(jvm("available-processors"), 2.0)
                .containsEntry(jvm("uptime-ms"), 60_500.0)
                .hasSize(17);
        assertThat(sample.texts())
                .containsExactly(Map.entry(Metric.of("app-info", "version", Map.of("client-id", "a")), "4.3.1"));
    }

    @Test
    @DisplayName("B83 Where each pool of the heap may have all of it, the largest is the heap's limit")
    void pools() throws IOException {
        Sample sample = read("""
            jvm_memory_max_bytes{area="heap",id="ZGC Old Generation"} 100
            jvm_memory_max_bytes{area="heap",id="ZGC Young Generation"} 100
            jvm_memory_used_bytes{area="heap",id="ZGC Old Generation"} 10
            jvm_memory_used_bytes{area="heap",id="ZGC Young Generation"} 20
            """);
        assertThat(sample.numbers())
                .containsOnly(Map.entry(jvm("heap-max-bytes"), 100.0), Map.entry(jvm("heap-used-bytes"), 30.0));
    }

    private static void fails(RawHttpServer server, Duration limit, String... says) throws IOException {
        long begun = System.nanoTime();
        try (server;
                PrometheusSource source = new PrometheusSource(server.url(), 1 << 20)) {
            assertThatThrownBy(() -> source.read(limit))
                    .isInstanceOf(SourceFailure.class)
                    .hasMessageStartingWith(server.url())
                    .hasMessageNotContaining("\n")
                    .satisfies(failure -> assertThat(failure.getMessage()).contains(says));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    @DisplayName("B83 An endpoint that is slow fails within the limit, with how far it was")
    void slow() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        Duration brief = Duration.ofMillis(500);
        fails(new RawHttpServer(_ -> never.await()), brief, "did not answer within 0.5 s: it had not begun to answer");
        fails(
                new RawHttpServer(out -> {
                    out.write("HTTP/1.1 200 OK\r\n\r\na 1\n".getBytes(StandardCharsets.US_ASCII));
                    out.flush();
                    never.await();
                }),
                brief,
                "did not answer within 0.5 s: it had sent 4 bytes, or give it more time");
    }

    @Test
    @DisplayName("B83 An endpoint that sends too much is cut off")
    void huge() throws IOException {
        byte[] line = "kafka_consumer_io_ratio{client_id=\"a\"} 1\n".getBytes(StandardCharsets.US_ASCII);
        fails(
                new RawHttpServer(out -> {
                    out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    while (true) {
                        out.write(line);
                    }
                }),
                LIMIT,
                "sends more than 1048576 bytes");
    }

    @Test
    @DisplayName("B83 Answers that are none, or of something else, say what to give")
    void otherAnswers() throws IOException {
        fails(
                RawHttpServer.of("404 Not Found", "", "no"),
                LIMIT,
                "answers 404: give the path too",
                "/actuator/prometheus");
        fails(RawHttpServer.of("401 Unauthorized", "", ""), LIMIT, "answers 401", "password");
        fails(RawHttpServer.of("503 Service Unavailable", "", ""), LIMIT, "answers 503", "log");
        fails(
                RawHttpServer.telling("<!DOCTYPE html>\n<html>\u0007\n"),
                LIMIT,
                "tells no metrics in Prometheus' text format but '<!DOCTYPE html>'");
        fails(RawHttpServer.telling(""), LIMIT, "but nothing");
        fails(RawHttpServer.telling("\u0000\ufffd\u001b[31m"), LIMIT, "tells no metrics");
        fails(
                RawHttpServer.telling("node_load1 0.5\nkafka_consumergroup_lag{group=\"g\"} 1\n"),
                LIMIT,
                "tells 2 metrics and none that is known, such as node_load1: names must begin with kafka_consumer_,");
        fails(
                new RawHttpServer(out -> out.write("SSH-2.0-x\r\n".getBytes(StandardCharsets.US_ASCII))),
                LIMIT,
                "cannot be read");
        fails(new RawHttpServer(_ -> {}), LIMIT, "cannot be read", "check host and port");
        fails(
                new RawHttpServer(out -> out.write(
                        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na 1\n".getBytes(StandardCharsets.US_ASCII))),
                LIMIT,
                "cannot be read");
    }

    @Test
    @DisplayName("B83 A port on which nothing listens is told, and a source that failed can be read again")
    void nothingListens() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        try (PrometheusSource source = PrometheusSource.of("http://127.0.0.1:" + port + "/metrics")) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> source.read(LIMIT))
                        .isInstanceOf(SourceFailure.class)
                        .hasMessageContaining("cannot be read")
                        .hasMessageContaining("check host and port");
            }
        }
    }

    @Test
    @DisplayName("B83 A URL that is none is refused in one sentence")
    void malformedUrls() {
        for (String url :
                new String[] {"", "host:9404", "ftp://host/", "http://", "http:///x", "http://a b/", "metrics"}) {
            assertThatThrownBy(() -> PrometheusSource.of(url))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Prometheus endpoint '" + url + "'")
                    .hasMessageContaining("give one such as http://host:9404/metrics");
        }
    }
}
