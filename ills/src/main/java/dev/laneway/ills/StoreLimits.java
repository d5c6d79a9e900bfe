package dev.laneway.ills;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;

/** RocksDB's memory, as the settings of a member say; one block cache for all stores of the process. */
public final class StoreLimits implements RocksDBConfigSetter {
    private static final String PREFIX = "store.limits.";
    private static final String BLOCK_CACHE = "block-cache-kb";
    private static final String WRITE_BUFFER = "write-buffer-kb";
    private static final String DIRECT_READS = "direct-reads";
    private static final long USUAL_BLOCK_CACHE_KB = 32 << 10;
    private static final long USUAL_WRITE_BUFFER_KB = 16 << 10;
    private static final int BLOCK_BYTES = 4_096;

    private static @Nullable Cache cache;

    /** Makes one; Kafka Streams does. */
    public StoreLimits() {}

    static void configure(Settings settings, Map<String, Object> properties) {
        properties.put(PREFIX + BLOCK_CACHE, settings.number(BLOCK_CACHE, USUAL_BLOCK_CACHE_KB));
        properties.put(PREFIX + WRITE_BUFFER, settings.number(WRITE_BUFFER, USUAL_WRITE_BUFFER_KB));
        properties.put(PREFIX + DIRECT_READS, settings.number(DIRECT_READS, 0));
    }

    @Override
    public void setConfig(String store, Options options, Map<String, Object> configs) {
        BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(shared(number(configs, BLOCK_CACHE) << 10));
        table.setBlockSize(BLOCK_BYTES);
        table.setCacheIndexAndFilterBlocks(true);
        options.setTableFormatConfig(table);
        options.setWriteBufferSize(number(configs, WRITE_BUFFER) << 10);
        // Without this the page cache of the machine hides that the block cache is too small.
        options.setUseDirectReads(number(configs, DIRECT_READS) == 1);
    }

    private static synchronized Cache shared(long bytes) {
        Cache made = cache;
        if (made == null) {
            made = new LRUCache(bytes);
            cache = made;
        }
        return made;
    }

    private static long number(Map<String, Object> configs, String name) {
        return Long.parseLong(String.valueOf(configs.get(PREFIX + name)));
    }

    /** The cache lives as long as the process. */
    @Override
    public void close(String store, Options options) {}
}
