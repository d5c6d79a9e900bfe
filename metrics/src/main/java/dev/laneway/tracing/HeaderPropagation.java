package dev.laneway.tracing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.context.propagation.TextMapSetter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** Contexts in the headers of records. Immutable. */
record HeaderPropagation(TextMapPropagator propagator) {
    private static final TextMapGetter<Headers> GETTER = new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // Releases of OpenTelemetry before 1.68 ask for it.
        public Iterable<String> keys(Headers headers) {
            Set<String> keys = new LinkedHashSet<>();
            headers.forEach(header -> keys.add(header.key()));
            return keys;
        }

        @Override
        public @Nullable String get(@Nullable Headers headers, String key) {
            Header header = headers == null ? null : headers.lastHeader(key);
            return header == null ? null : text(header);
        }

        @Override
        public Iterator<String> getAll(@Nullable Headers headers, String key) {
            List<String> all = new ArrayList<>();
            if (headers != null) {
                for (Header header : headers.headers(key)) {
                    String text = text(header);
                    if (text != null) {
                        all.add(text);
                    }
                }
            }
            return all.iterator();
        }
    };

    private static final TextMapSetter<Headers> SETTER = (headers, key, value) -> {
        if (headers != null) {
            headers.remove(key).add(key, value.getBytes(UTF_8));
        }
    };

    private static @Nullable String text(Header header) {
        byte @Nullable [] value = header.value();
        return value == null ? null : new String(value, UTF_8);
    }

    /** The context that a record was sent in; of whatever is current on this thread it has nothing. */
    Context extract(Headers headers) {
        return propagator.extract(Context.root(), headers, GETTER);
    }

    /** Puts a context in the place of the one that the headers have, which a dead letter has from its record. */
    void inject(Context context, Headers headers) {
        propagator.fields().forEach(headers::remove);
        propagator.inject(context, headers, SETTER);
    }
}
