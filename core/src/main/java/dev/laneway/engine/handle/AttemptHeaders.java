package dev.laneway.engine.handle;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a record as one attempt sees them. Whatever deserialisers and handlers change stays in the attempt:
 * the next one, and the dead letter, have the record's own. Copied when they are first looked at, since most handlers
 * never do. Used by one thread at a time.
 */
final class AttemptHeaders implements Headers {
    private final Headers original;
    private @Nullable Headers copy;

    AttemptHeaders(Headers original) {
        this.original = original;
    }

    private Headers own() {
        Headers made = copy;
        if (made == null) {
            made = new RecordHeaders();
            for (Header header : original) {
                byte @Nullable [] value = header.value();
                made.add(new RecordHeader(header.key(), value == null ? null : value.clone()));
            }
            copy = made;
        }
        return made;
    }

    @Override
    public Headers add(Header header) {
        own().add(header);
        return this;
    }

    @Override
    public Headers add(String key, byte @Nullable [] value) {
        own().add(key, value);
        return this;
    }

    @Override
    public Headers remove(String key) {
        own().remove(key);
        return this;
    }

    @Override
    public @Nullable Header lastHeader(String key) {
        return own().lastHeader(key);
    }

    @Override
    public Iterable<Header> headers(String key) {
        return own().headers(key);
    }

    @Override
    public Header[] toArray() {
        return own().toArray();
    }

    @Override
    public Iterator<Header> iterator() {
        return own().iterator();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Headers headers && Arrays.equals(toArray(), headers.toArray());
    }

    @Override
    public int hashCode() {
        return List.of(toArray()).hashCode();
    }

    @Override
    public String toString() {
        return own().toString();
    }
}
