package dev.laneway.stream;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A value made from a delivered record, with the record's offset. Immutable.
 *
 * @param value what was made from the record
 * @param offset the record's offset, to acknowledge when the value has been handled
 */
public record Committable<T>(T value, Offset offset) implements Acknowledgeable {
    /** Refuses null. */
    public Committable {
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(offset, "offset");
    }

    /** Another value with the same offset. */
    public <R> Committable<R> map(Function<? super T, ? extends R> mapper) {
        return new Committable<>(mapper.apply(value), offset);
    }

    @Override
    public void acknowledge() {
        offset.acknowledge();
    }

    @Override
    public void acknowledgeUpTo() {
        offset.acknowledgeUpTo();
    }

    @Override
    public CompletionStage<@Nullable Void> commit() {
        return offset.commit();
    }
}
