package dev.laneway.interleave;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes of one of the packages below dev.laneway, and of those in it, again, with a call to {@link Steps}
 * at whatever threads can see of each other.
 */
final class RewritingLoader extends ClassLoader {
    private static final ClassDesc STEPS = Steps.class.describeConstable().orElseThrow();
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);
    private static final MethodTypeDesc OBJECT = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);

    private static final MethodTypeDesc MAYBE = MethodTypeDesc.of(ConstantDescs.CD_boolean, ConstantDescs.CD_Object);

    private final Class<?> scenario;
    private final String prefix;
    private final ClassFile classFile;
    /** By class and field: whether a step comes before an access, and which. */
    private final Map<String, Map<String, String>> steps = new HashMap<>();

    RewritingLoader(Class<?> scenario) {
        super(scenario.getClassLoader());
        this.scenario = scenario;
        this.prefix = Pattern.compile("(\\w+\\.\\w+\\.\\w+).*")
                        .matcher(scenario.getPackageName())
                        .replaceFirst("$1") + ".";
        this.classFile = ClassFile.of(
                ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(getParent())));
    }

    Class<?> rewritten() {
        try {
            return loadClass(scenario.getName());
        } catch (ClassNotFoundException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(prefix) || name.startsWith(Steps.class.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] rewritten = rewrite(model(name));
                loaded = defineClass(name, rewritten, 0, rewritten.length);
            }
            return loaded;
        }
    }

    private ClassModel model(String name) {
        try (InputStream bytes = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (bytes == null) {
                throw new IllegalArgumentException("no class " + name);
            }
            return classFile.parse(bytes.readAllBytes());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private byte[] rewrite(ClassModel model) {
        return classFile.transformClass(model, (builder, element) -> {
            if (element instanceof MethodModel method
                    && method.code().isPresent()
                    && !method.methodName().stringValue().startsWith("<")) {
                boolean locks = method.flags().has(AccessFlag.SYNCHRONIZED);
                int flags = method.flags().flagsMask() & ~AccessFlag.SYNCHRONIZED.mask();
                builder.withMethod(
                        method.methodName(),
                        method.methodType(),
                        flags,
                        rewritten -> method.forEach(part -> {
                            if (part instanceof CodeModel code) {
                                rewritten.transformCode(code, locks ? new Locking() : this::step);
                            } else if (!(part instanceof java.lang.classfile.AccessFlags)) {
                                rewritten.with(part);
                            }
                        }));
            } else {
                builder.with(element);
            }
        });
    }

    private void step(CodeBuilder builder, CodeElement element) {
        switch (element) {
            case FieldInstruction access -> {
                String before = stepBefore(access);
                if (before != null) {
                    builder.invokestatic(STEPS, before, NOTHING);
                }
                builder.with(element);
            }
            // A guard is a lock, however it is made: whoever waits for it is not to spin.
            case InvokeInstruction call
            when isGuard(call, "enter") -> builder.dup().invokestatic(STEPS, "enter", OBJECT);
            case InvokeInstruction call
            when isGuard(call, "tryEnter") -> builder.invokestatic(STEPS, "tryEnter", MAYBE);
            case InvokeInstruction call when isGuard(call, "close") -> builder.invokestatic(STEPS, "exit", OBJECT);
            case InvokeInstruction call
            when isShared(call.owner().asInternalName()) ->
                builder.invokestatic(STEPS, "point", NOTHING).with(element);
            case MonitorInstruction monitor ->
                builder.invokestatic(STEPS, monitor.opcode() == Opcode.MONITORENTER ? "enter" : "exit", OBJECT);
            default -> builder.with(element);
        }
    }

    private static boolean isGuard(InvokeInstruction call, String method) {
        return call.owner().asInternalName().endsWith("/Guard")
                && call.name().stringValue().equals(method);
    }

    private static boolean isShared(String owner) {
        return owner.equals("java/lang/invoke/VarHandle")
                || owner.equals("java/util/Queue")
                || (owner.startsWith("java/util/concurrent/") && !owner.endsWith("/LongAdder"));
    }

    private @Nullable String stepBefore(FieldInstruction access) {
        String owner = access.owner().asInternalName().replace('/', '.');
        return owner.startsWith(prefix) ? fields(owner).get(access.name().stringValue()) : null;
    }

    /** The fields that may change, of a class and of those above it. */
    private Map<String, String> fields(String owner) {
        Map<String, String> known = steps.get(owner);
        if (known != null) {
            return known;
        }
        ClassModel model = model(owner);
        String above = model.superclass()
                .map(name -> name.asInternalName().replace('/', '.'))
                .orElse("");
        Map<String, String> fields = new HashMap<>(above.startsWith(prefix) ? fields(above) : Map.of());
        for (FieldModel field : model.fields()) {
            if (!field.flags().has(AccessFlag.FINAL)) {
                boolean isVolatile = field.flags().has(AccessFlag.VOLATILE);
                fields.put(field.fieldName().stringValue(), isVolatile ? "point" : "plain");
            }
        }
        steps.put(owner, fields);
        return fields;
    }

    /** For methods that were synchronized: takes the monitor at the start and gives it back at each end. */
    private final class Locking implements CodeTransform {
        private @Nullable Label start;

        @Override
        public void atStart(CodeBuilder builder) {
            builder.aload(0).invokestatic(STEPS, "enter", OBJECT);
            start = builder.newBoundLabel();
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            if (element instanceof ReturnInstruction) {
                builder.aload(0).invokestatic(STEPS, "exit", OBJECT);
            }
            step(builder, element);
        }

        @Override
        public void atEnd(CodeBuilder builder) {
            Label handler = builder.newLabel();
            Label end = builder.newBoundLabel();
            builder.exceptionCatchAll(start, end, handler);
            builder.labelBinding(handler)
                    .aload(0)
                    .invokestatic(STEPS, "exit", OBJECT)
                    .athrow();
        }
    }
}
