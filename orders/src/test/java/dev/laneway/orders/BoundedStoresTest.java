package dev.laneway.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

class BoundedStoresTest {
    private static final int STORES = 40;
    private static final int WRITES = 20;
    private static final long MIB = 1 << 20;

    @TempDir
    private Path directory;

    @Test
    @DisplayName("Many stores that share the usual write buffers are not flushed at each write")
    void areSeldomFlushed() throws Exception {
        Map<String, Object> configs = new HashMap<>();
        BoundedStores.configure(configs, 64 * MIB, 32 * MIB, false);
        BoundedStores stores = new BoundedStores();
        List<RocksDB> open = new ArrayList<>();
        long files = 0;
        try (Options options = new Options().setCreateIfMissing(true)) {
            options.setTableFormatConfig(new BlockBasedTableConfig());
            options.setWriteBufferSize(16 * MIB); // As Kafka Streams sets it.
            stores.setConfig("s", options, configs);
            for (int i = 0; i < STORES; i++) {
                open.add(RocksDB.open(
                        options,
                        Files.createDirectory(directory.resolve("" + i)).toString()));
            }
            for (int write = 0; write < WRITES; write++) {
                for (RocksDB store : open) {
                    store.put(new byte[] {(byte) write}, new byte[1_000]);
                }
            }
            for (RocksDB store : open) {
                files += store.getLiveFilesMetaData().size();
                store.close();
            }
        }
        assertThat(files).isZero();
    }
}
