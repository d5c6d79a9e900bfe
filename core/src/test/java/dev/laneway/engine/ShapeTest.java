package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Options;
import dev.laneway.Outcome;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What keeps the engine readable: few files that need each other, names that say something, a short way to follow. */
class ShapeTest {
    private static final int LARGEST_CIRCLE = 12;
    private static final double MOST_BARE_WORDS = 0.3;
    private static final int LONGEST_WAY = 12;
    private static final int MOST_FILES = 50;
    private static final List<String> MODULES = List.of(
            "assign",
            "bench",
            "cli",
            "core",
            "dashboard",
            "examples",
            "ills",
            "keda",
            "kubernetes",
            "metrics",
            "ops",
            "orders",
            "proof",
            "stress",
            "testkit",
            "tools");
    private static final Path CLASSES = Path.of("target/classes");
    private static final Path DESIGN = Path.of("../DESIGN.md");
    private static final Pattern NAMED = Pattern.compile("dev/laneway/[\\w/]+");
    private static final Pattern ROW = Pattern.compile("^\\| `(\\w+)` \\|", Pattern.MULTILINE);

    @Test
    @DisplayName("No more than 12 files need each other in a circle")
    void circles() throws IOException {
        Map<String, Set<String>> uses = uses();
        assertThat(uses).hasSizeGreaterThan(200);
        assertThat(largestCircle(uses)).hasSizeLessThanOrEqualTo(LARGEST_CIRCLE);
    }

    @Test
    @DisplayName("A circle is found, whatever leads into it and out of it")
    void findsCircles() {
        Map<String, Set<String>> uses = Map.of(
                "into", Set.of("a", "out"),
                "a", Set.of("b"),
                "b", Set.of("c", "out"),
                "c", Set.of("a"),
                "out", Set.of());
        assertThat(largestCircle(uses)).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    @DisplayName("No package has more than 50 files")
    void packages() throws IOException {
        for (String module : MODULES) {
            try (var walk = Files.walk(Path.of("..", module, "src/main/java"))) {
                Map<Path, Long> sizes = walk.filter(file -> file.toString().endsWith(".java"))
                        .collect(Collectors.groupingBy(Path::getParent, Collectors.counting()));
                assertThat(sizes)
                        .isNotEmpty()
                        .allSatisfy((folder, size) ->
                                assertThat(size).as(folder.toString()).isLessThanOrEqualTo(MOST_FILES));
            }
        }
    }

    @Test
    @DisplayName("No packages below dev.laneway need each other in a circle")
    void circlesOfPackages() throws IOException {
        Map<String, Set<String>> packages = new HashMap<>();
        uses().forEach((name, used) -> {
            Set<String> others = packages.computeIfAbsent(folder(name), any -> new HashSet<>());
            used.forEach(other -> others.add(folder(other)));
        });
        packages.remove("dev/laneway"); // The API and the engine need each other.
        packages.forEach((name, others) -> others.removeAll(List.of(name, "dev/laneway")));
        assertThat(packages).hasSizeGreaterThan(10);
        assertThat(largestCircle(packages)).isEmpty();
    }

    private static String folder(String name) {
        return name.substring(0, name.lastIndexOf('/'));
    }

    @Test
    @DisplayName("Fewer than three in ten of the engine's classes are named by one bare word")
    void names() throws IOException {
        List<String> engine = uses().keySet().stream()
                .filter(name -> name.startsWith("dev/laneway/engine/"))
                .map(name -> name.substring(name.lastIndexOf('/') + 1))
                .toList();
        List<String> bare =
                engine.stream().filter(name -> name.matches("[A-Z][a-z0-9]*")).toList();
        assertThat(bare).hasSizeLessThan((int) (MOST_BARE_WORDS * engine.size()));
    }

    @Test
    @DisplayName("DESIGN.md's way from poll to commit is short, and leaves out no class that a record meets")
    void wayFromPollToCommit() throws IOException {
        String design = Files.readString(DESIGN);
        String way = design.substring(design.indexOf("## From poll to commit"), design.indexOf("## The side road"));
        List<String> rows = ROW.matcher(way).results().map(row -> row.group(1)).toList();
        assertThat(rows).hasSizeBetween(5, LONGEST_WAY).containsAll(metByOneRecord());
    }

    /** The engine's classes on the stack where one record is polled, handled and committed. */
    private static Set<String> metByOneRecord() {
        Set<String> met = new TreeSet<>();
        HandEngine hand = new HandEngine(Options.DEFAULTS, (record, context) -> {
            look(met);
            return CompletableFuture.completedFuture(Outcome.done());
        });
        hand.consumer.called = () -> look(met);
        hand.assign(Records.ORDERS_0).turn();
        met.clear();
        hand.polled(Records.chunk(0, "a")).turn();
        hand.host.pass(10_000_000_000L);
        hand.turn();
        assertThat(hand.consumer.unanswered).hasSize(1);
        assertThat(met).isNotEmpty();
        return met;
    }

    private static void look(Set<String> met) {
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).forEach(frame -> {
            Class<?> type = frame.getDeclaringClass();
            Path file = CLASSES.resolve(outermost(type.getName().replace('.', '/')) + ".class");
            if (type.getPackageName().startsWith("dev.laneway.engine") && Files.exists(file)) {
                met.add(type.getNestHost().getSimpleName());
            }
        });
    }

    // ---------------------------------------------------------------- who uses whom, by the class files

    /** Each of Laneway's own top-level classes, and those that its file names. */
    private static Map<String, Set<String>> uses() throws IOException {
        List<Path> files;
        try (var walk = Files.walk(CLASSES.resolve("dev"))) {
            files = walk.filter(file -> file.toString().endsWith(".class")).toList();
        }
        Map<String, Set<String>> uses = new HashMap<>();
        for (Path file : files) {
            String name = CLASSES.relativize(file).toString().replace('\\', '/').replaceAll("\\.class$", "");
            uses.computeIfAbsent(outermost(name), any -> new HashSet<>()).addAll(named(file));
        }
        uses.forEach((name, used) -> {
            used.remove(name);
            used.retainAll(uses.keySet());
        });
        return uses;
    }

    private static Set<String> named(Path file) throws IOException {
        Set<String> named = new HashSet<>();
        for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
            String text = switch (entry) {
                case ClassEntry type -> type.asInternalName();
                case Utf8Entry utf8 when utf8.stringValue().contains("Ldev/laneway/") -> utf8.stringValue();
                default -> "";
            };
            NAMED.matcher(text).results().forEach(found -> named.add(outermost(found.group())));
        }
        return named;
    }

    private static String outermost(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    // ---------------------------------------------------------------- circles

    /** The most that all reach each other; by whom each reaches, which is cheap enough for some hundreds. */
    private static Collection<String> largestCircle(Map<String, Set<String>> uses) {
        Map<String, Set<String>> reached =
                uses.keySet().stream().collect(Collectors.toMap(name -> name, name -> reached(name, uses)));
        List<Set<String>> circles = new ArrayList<>();
        reached.forEach((name, all) -> circles.add(
                all.stream().filter(other -> reached.get(other).contains(name)).collect(Collectors.toSet())));
        return new TreeSet<>(
                circles.stream().max(Comparator.comparingInt(Set::size)).orElseThrow());
    }

    private static Set<String> reached(String from, Map<String, Set<String>> uses) {
        Set<String> reached = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(uses.get(from));
        while (!next.isEmpty()) {
            String name = next.remove();
            if (reached.add(name)) {
                next.addAll(uses.get(name));
            }
        }
        return reached;
    }
}
