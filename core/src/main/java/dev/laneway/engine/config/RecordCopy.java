package dev.laneway.engine.config;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies a record with one component changed, which Java has no expression for yet (JEP 468). Stateless. */
public final class RecordCopy {
    /** Looked up once for each class: reflection makes a method handle for each look-up, which takes a millisecond. */
    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return Shape.of(type);
        }
    };

    private RecordCopy() {}

    /** How a class of records is read and made. */
    private record Shape(List<String> names, List<Method> accessors, Constructor<?> constructor) {
        static Shape of(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            try {
                return new Shape(
                        Arrays.stream(components).map(RecordComponent::getName).toList(),
                        Arrays.stream(components)
                                .map(RecordComponent::getAccessor)
                                .toList(),
                        type.getDeclaredConstructor(Arrays.stream(components)
                                .map(RecordComponent::getType)
                                .toArray(Class<?>[]::new)));
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException(type + " has no canonical constructor", impossible);
            }
        }
    }

    /**
     * The same record but for one component. The record's constructor checks the copy; what it throws comes out
     * unchanged.
     *
     * @param component the component's name
     * @param value of the component's type
     */
    @SuppressWarnings("unchecked") // The copy is of the record's own class.
    public static <R extends Record> R with(R record, String component, @Nullable Object value) {
        Shape shape = SHAPES.get(record.getClass());
        int changed = shape.names().indexOf(component);
        if (changed < 0) {
            throw new IllegalArgumentException(record.getClass() + " has no component " + component);
        }
        @Nullable Object[] values = new Object[shape.names().size()];
        try {
            for (int i = 0; i < values.length; i++) {
                values[i] = i == changed ? value : shape.accessors().get(i).invoke(record);
            }
            return (R) shape.constructor().newInstance(values);
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
