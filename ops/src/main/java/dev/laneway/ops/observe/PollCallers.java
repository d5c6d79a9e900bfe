package dev.laneway.ops.observe;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/**
 * Knows which methods of a JVM's classes call a consumer's {@code poll}, from the class files on its class path: a
 * thread that is in such a method consumes, even if it is never met in {@code poll} itself, as one that is busy seldom
 * is. Classes that are not found there, as those in jars in jars, have no such methods. Used by one thread.
 */
final class PollCallers {
    private static final Set<String> CONSUMERS = Set.of(
            "org/apache/kafka/clients/consumer/Consumer",
            "org/apache/kafka/clients/consumer/KafkaConsumer",
            "org/apache/kafka/clients/consumer/ShareConsumer",
            "org/apache/kafka/clients/consumer/KafkaShareConsumer");
    private static final int MOST_CLASSES = 10_000;

    private final List<Path> classPath;
    private final Map<String, Set<String>> methods = new HashMap<>();

    /** @param classPath its entries, none relative */
    PollCallers(List<Path> classPath) {
        this.classPath = List.copyOf(classPath);
    }

    /** Of a class path as a JVM tells it, and the directory in which it was started. */
    static PollCallers of(String classPath, String directory) {
        return new PollCallers(Arrays.stream(classPath.split(File.pathSeparator, -1))
                .filter(entry -> !entry.isEmpty())
                .map(Path.of(directory)::resolve)
                .toList());
    }

    boolean calls(StackTraceElement frame) {
        if (methods.size() >= MOST_CLASSES) {
            methods.clear();
        }
        return methods.computeIfAbsent(frame.getClassName(), this::read).contains(frame.getMethodName());
    }

    private Set<String> read(String className) {
        String name = className.replace('.', '/') + ".class";
        for (Path entry : classPath) {
            try {
                byte[] bytes = Files.isDirectory(entry) ? file(entry.resolve(name)) : inJar(entry, name);
                if (bytes != null) {
                    return callers(ClassFile.of().parse(bytes));
                }
            } catch (IOException | RuntimeException unreadable) {
                // Not for this user, or no class file of a version that is known: none of its methods is known.
            }
        }
        return Set.of();
    }

    private static byte @Nullable [] file(Path file) throws IOException {
        return Files.isRegularFile(file) ? Files.readAllBytes(file) : null;
    }

    private static byte @Nullable [] inJar(Path jar, String name) throws IOException {
        if (!Files.isRegularFile(jar)) {
            return null;
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            ZipEntry entry = file.getEntry(name);
            if (entry == null) {
                return null;
            }
            try (InputStream in = file.getInputStream(entry)) {
                return in.readAllBytes();
            }
        }
    }

    private static Set<String> callers(ClassModel type) {
        return type.methods().stream()
                .filter(PollCallers::polls)
                .map(method -> method.methodName().stringValue())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static boolean polls(MethodModel method) {
        return method.code().stream()
                .flatMap(code -> code.elementStream())
                .anyMatch(element -> element instanceof InvokeInstruction call
                        && call.name().equalsString("poll")
                        && CONSUMERS.contains(call.owner().asInternalName()));
    }
}
