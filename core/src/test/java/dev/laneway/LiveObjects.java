package dev.laneway;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * How many objects of each class are alive in this JVM. A leak of an object per key or record shows in these numbers,
 * while large buffers of clients and brokers would hide it in the size of the heap. Immutable.
 *
 * @param histogram as the JVM tells it: a single text, so that looking leaves no objects of its own
 */
record LiveObjects(String histogram) {
    private static final Pattern LINE = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");
    /** Their number counts; how large they are is a matter of buffers. */
    private static final String BYTE_ARRAY = "[B";
    /** A filler that collectors put in the place of dead objects; nothing refers to it. */
    private static final String FILLER = "jdk.internal.vm.Filler";

    private record Of(long count, long bytes) {}

    /** After a collection. */
    static LiveObjects now() {
        try {
            return new LiveObjects((String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()}));
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The classes that have at least so many objects more than then, or so many bytes. */
    Map<String, String> grownSince(LiveObjects then, long objects, long bytes) {
        Map<String, Of> before = then.classes();
        Map<String, String> grown = new TreeMap<>();
        classes().forEach((name, now) -> {
            Of old = before.getOrDefault(name, new Of(0, 0));
            long more = now.count - old.count;
            long larger = now.bytes - old.bytes;
            if (more >= objects || (larger >= bytes && !name.equals(BYTE_ARRAY))) {
                grown.put(name, more + " more, " + larger + " bytes");
            }
        });
        return grown;
    }

    private Map<String, Of> classes() {
        Map<String, Of> classes = new HashMap<>();
        histogram
                .lines()
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .filter(line -> !line.group(3).contains(FILLER))
                .forEach(line -> classes.put(
                        line.group(3), new Of(Long.parseLong(line.group(1)), Long.parseLong(line.group(2)))));
        return classes;
    }
}
