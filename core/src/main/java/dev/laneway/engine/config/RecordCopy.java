package dev.laneway.engine.config;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import org.jspecify.annotations.Nullable;

/** Copies a record with one component changed, which Java has no expression for yet (JEP 468). Stateless. */
public final class RecordCopy {
    private RecordCopy() {}

    /**
     * The same record but for one component. The record's constructor checks the copy; what it throws comes out
     * unchanged.
     *
     * @param component the component's name
     * @param value of the component's type
     */
    @SuppressWarnings("unchecked") // The copy is of the record's own class.
    public static <R extends Record> R with(R record, String component, @Nullable Object value) {
        RecordComponent[] components = record.getClass().getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] values = new Object[components.length];
        boolean found = false;
        try {
            for (int i = 0; i < components.length; i++) {
                boolean changes = components[i].getName().equals(component);
                found |= changes;
                types[i] = components[i].getType();
                values[i] = changes ? value : components[i].getAccessor().invoke(record);
            }
            if (!found) {
                throw new IllegalArgumentException(record.getClass() + " has no component " + component);
            }
            return (R) record.getClass().getDeclaredConstructor(types).newInstance(values);
        } catch (InvocationTargetException thrown) {
            throw unchecked(thrown);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(record.getClass() + " is not a public record", impossible);
        }
    }

    /** What the record's own code has thrown. */
    private static RuntimeException unchecked(InvocationTargetException thrown) {
        return switch (thrown.getCause()) {
            case RuntimeException refusal -> refusal;
            case Error error -> throw error;
            case null, default -> new IllegalStateException(thrown);
        };
    }
}
