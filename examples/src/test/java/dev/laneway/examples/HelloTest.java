package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HelloTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    @DisplayName("B53 hello ships every order, a customer's in order, and an interrupt leaves everything committed")
    void shipsEveryOrder() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        FutureTask<Void> hello = new FutureTask<>(() -> {
            Hello.main(Shared.bootstrap());
            return null;
        });
        PrintStream console = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Thread thread = Thread.ofPlatform().name("hello").start(hello);
            await().atMost(LIMIT).until(() -> shipped(printed).size() >= Hello.ORDERS);
            thread.interrupt();
            assertThat(thread.join(LIMIT)).as("hello ended").isTrue();
        } finally {
            System.setOut(console);
        }

        assertThat(shipped(printed)).containsExactlyInAnyOrderElementsOf(orders(0, 1));
        for (int customer = 0; customer < 4; customer++) {
            assertThat(shipped(printed)).containsSubsequence(orders(customer, 4));
        }
        assertThat(EmbeddedKafka.shared().committed("shop").values().stream()
                        .mapToLong(OffsetAndMetadata::offset)
                        .sum())
                .isEqualTo(Hello.ORDERS);
    }

    @Test
    @DisplayName("README begins with the snippet that this build compiles and runs, at most ten lines long")
    void readmeSnippetIsCompiled() {
        Matcher snippet = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Shared.read("README.md"));
        assertThat(snippet.find()).as("a java snippet").isTrue();
        assertThat(snippet.group(1).lines()).hasSizeLessThanOrEqualTo(10);
        assertThat(stripped(Shared.read("examples/src/main/java/dev/laneway/examples/Hello.java")))
                .containsSequence(stripped(snippet.group(1)));
    }

    private static List<String> orders(int first, int step) {
        return IntStream.iterate(first, i -> i < Hello.ORDERS, i -> i + step)
                .mapToObj(i -> "shipping order-" + i)
                .toList();
    }

    private static List<String> shipped(ByteArrayOutputStream printed) {
        return printed.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("shipping "))
                .toList();
    }

    private static List<String> stripped(String text) {
        return text.lines().map(String::strip).toList();
    }
}
