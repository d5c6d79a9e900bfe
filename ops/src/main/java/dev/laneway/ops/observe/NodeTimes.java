package dev.laneway.ops.observe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import org.jspecify.annotations.Nullable;

/**
 * What one thread has done in one node, all its tasks together, as a bean whose attributes have the names of the
 * metrics. Written by its thread; read by any.
 */
final class NodeTimes implements DynamicMBean {
    private static final List<String> NAMES = List.of("busy-ns-total", "calls-total", "max-ns");
    private static final VarHandle BUSY = handle("busyNanos");
    private static final VarHandle CALLS = handle("calls");
    private static final VarHandle MAX = handle("maxNanos");

    final Thread thread;
    final String node;
    /** Processors that use it; under the registry's lock. */
    int users;

    private final Inner inner;
    // Longs of one writer: others need to see them some time and whole, and in no order.
    private long busyNanos;
    private long calls;
    private long maxNanos;

    /** The nanoseconds that nodes behind the one that runs have taken. Of one thread. */
    static final class Inner {
        private long nanos;
    }

    NodeTimes(Thread thread, String node, Inner inner) {
        this.thread = thread;
        this.node = node;
        this.inner = inner;
    }

    private static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(NodeTimes.class, field, long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** A call begins; returns what {@link #leave} has to be given. */
    long enter() {
        long outer = inner.nanos;
        inner.nanos = 0;
        return outer;
    }

    /** The call has ended, also by an exception. */
    void leave(long outer, long nanos) {
        BUSY.setOpaque(this, busyNanos + nanos - inner.nanos);
        CALLS.setOpaque(this, calls + 1);
        if (nanos > maxNanos) {
            MAX.setOpaque(this, nanos);
        }
        inner.nanos = outer + nanos;
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        Long value = value(attribute);
        if (value == null) {
            throw new AttributeNotFoundException(attribute);
        }
        return value;
    }

    private @Nullable Long value(String attribute) {
        return switch (attribute) {
            case "busy-ns-total" -> (long) BUSY.getOpaque(this);
            case "calls-total" -> (long) CALLS.getOpaque(this);
            case "max-ns" -> (long) MAX.getOpaque(this);
            default -> null;
        };
    }

    @Override
    public AttributeList getAttributes(String[] attributes) {
        AttributeList values = new AttributeList();
        for (String attribute : attributes) {
            Long value = value(attribute);
            if (value != null) {
                values.add(new Attribute(attribute, value));
            }
        }
        return values;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
        return new AttributeList();
    }

    @Override
    public @Nullable Object invoke(String action, Object[] parameters, String[] signature) {
        return null;
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        return new MBeanInfo(
                NodeTimes.class.getName(),
                "what one thread has done in one processor node",
                NAMES.stream()
                        .map(name -> new MBeanAttributeInfo(name, "long", name, true, false, false))
                        .toArray(MBeanAttributeInfo[]::new),
                null,
                null,
                null);
    }
}
