package dev.laneway.orders;

import dev.laneway.orders.status.OrderEvent;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * When an event happened is its record's time. A clock that goes ahead must not make everybody else's events late, so
 * that no event is taken for later than now. Thread-safe.
 */
final class EventTime implements TimestampExtractor {
    private final LongSupplier nowMillis;

    EventTime(LongSupplier nowMillis) {
        this.nowMillis = nowMillis;
    }

    @Override
    public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
        long at = record.value() instanceof OrderEvent event ? event.atMillis() : record.timestamp();
        return Math.max(0, Math.min(at, nowMillis.getAsLong()));
    }
}
