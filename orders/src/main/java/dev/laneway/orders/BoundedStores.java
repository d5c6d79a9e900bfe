package dev.laneway.orders;

import java.util.Map;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WriteBufferManager;

/**
 * Bounds what RocksDB takes: all stores of the process share one block cache and one limit of write buffers, which
 * counts within the cache. By itself each store has 50 MiB of the one and up to 48 MiB of the other. Thread-safe.
 */
public final class BoundedStores implements RocksDBConfigSetter {
    private static final String BLOCK_CACHE = "order.stores.block.cache.bytes";
    private static final String WRITE_BUFFERS = "order.stores.write.buffers.bytes";
    private static final String DIRECT_READS = "order.stores.direct.reads";

    /** Filters and indexes stay as long as data does, and longer than most of it. */
    private static final double INDEX_SHARE = 0.1;

    /**
     * A store takes so much of the write buffers at its first write. With the usual MiB, 32 stores would fill 32 MiB at
     * once, and then be flushed at each write.
     */
    private static final int ARENA_BLOCK_BYTES = 64 << 10;

    private static @Nullable Shared shared;

    /** What all stores share; it lives as long as the process. */
    private record Shared(Cache cache, WriteBufferManager buffers) {}

    /** Made by Kafka Streams. */
    public BoundedStores() {}

    /**
     * Adds the settings that make Kafka Streams use this.
     *
     * @param cacheBytes the block cache, write buffers included
     * @param directReads whether reads go past the page cache of the machine
     */
    static void configure(Map<String, Object> properties, long cacheBytes, long bufferBytes, boolean directReads) {
        properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, BoundedStores.class);
        properties.put(BLOCK_CACHE, Long.toString(cacheBytes));
        properties.put(WRITE_BUFFERS, Long.toString(bufferBytes));
        properties.put(DIRECT_READS, Boolean.toString(directReads));
    }

    @Override
    public void setConfig(String store, Options options, Map<String, Object> configs) {
        Shared all = shared(number(configs, BLOCK_CACHE), number(configs, WRITE_BUFFERS));
        BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(all.cache());
        table.setCacheIndexAndFilterBlocks(true);
        table.setCacheIndexAndFilterBlocksWithHighPriority(true);
        table.setPinTopLevelIndexAndFilter(true);
        options.setTableFormatConfig(table);
        options.setWriteBufferManager(all.buffers());
        options.setArenaBlockSize(ARENA_BLOCK_BYTES);
        options.setUseDirectReads(Boolean.parseBoolean(String.valueOf(configs.get(DIRECT_READS))));
    }

    private static synchronized Shared shared(long cacheBytes, long bufferBytes) {
        Shared made = shared;
        if (made == null) {
            Cache cache = new LRUCache(cacheBytes, -1, false, INDEX_SHARE);
            made = new Shared(cache, new WriteBufferManager(bufferBytes, cache));
            shared = made;
        }
        return made;
    }

    private static long number(Map<String, Object> configs, String name) {
        return Long.parseLong(String.valueOf(configs.get(name)));
    }

    /** Nothing is of one store alone. */
    @Override
    public void close(String store, Options options) {}
}
