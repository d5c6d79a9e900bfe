package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FailurePolicyTest {
    private static final Backoff BACKOFF = Backoff.fixed(Duration.ofMillis(10));

    @Test
    @DisplayName("B43 what each way to make a policy says")
    void eachFactory() {
        assertPolicy(FailurePolicy.retry(BACKOFF), Integer.MAX_VALUE, new FailurePolicy.Last.Stop());
        assertPolicy(FailurePolicy.retry(BACKOFF, 5), 5, new FailurePolicy.Last.Stop());
        assertPolicy(FailurePolicy.stop(), 1, new FailurePolicy.Last.Stop());
        assertPolicy(FailurePolicy.skip(), 1, new FailurePolicy.Last.Skip());
        assertPolicy(FailurePolicy.deadLetter("dlq"), 1, new FailurePolicy.Last.DeadLetter("dlq"));
        assertThat(FailurePolicy.stop().backoff()).isEmpty();
        assertThat(FailurePolicy.retry(BACKOFF).backoff()).contains(BACKOFF);
    }

    @Test
    @DisplayName("B43 what follows the last attempt can be chosen, and keeps attempts, back-off and rules")
    void thenKeepsTheRest() {
        FailurePolicy base = FailurePolicy.retry(BACKOFF, 3).on(IOException.class, FailurePolicy.skip());
        for (FailurePolicy changed : new FailurePolicy[] {base.thenSkip(), base.thenDeadLetter("t"), base.thenStop()}) {
            assertThat(changed.maxAttempts()).isEqualTo(3);
            assertThat(changed.backoff()).contains(BACKOFF);
            assertThat(changed.forFailure(new IOException()).last()).isEqualTo(new FailurePolicy.Last.Skip());
        }
        assertThat(base.thenSkip().last()).isEqualTo(new FailurePolicy.Last.Skip());
        assertThat(base.thenDeadLetter("t").last()).isEqualTo(new FailurePolicy.Last.DeadLetter("t"));
        assertThat(base.thenSkip().thenStop().last()).isEqualTo(new FailurePolicy.Last.Stop());
        assertThat(base.last()).as("the base is not changed").isEqualTo(new FailurePolicy.Last.Stop());
    }

    @Test
    @DisplayName("B43 per exception type: the first rule that matches counts, the failure before its causes")
    void ruleByType() {
        FailurePolicy skip = FailurePolicy.skip();
        FailurePolicy letter = FailurePolicy.deadLetter("dlq");
        FailurePolicy policy = FailurePolicy.retry(BACKOFF)
                .on(IOException.class, skip)
                .on(RuntimeException.class, letter)
                .on(IllegalStateException.class, FailurePolicy.stop());
        assertThat(policy.forFailure(new IOException())).isSameAs(skip);
        assertThat(policy.forFailure(new java.io.FileNotFoundException()))
                .as("a subtype")
                .isSameAs(skip);
        assertThat(policy.forFailure(new IllegalStateException()))
                .as("the earlier rule wins over the closer type")
                .isSameAs(letter);
        assertThat(policy.forFailure(new UncheckedIOException(new IOException())))
                .as("the failure itself before its cause")
                .isSameAs(letter);
        assertThat(policy.forFailure(new Exception(new IOException())))
                .as("a cause")
                .isSameAs(skip);
        assertThat(policy.forFailure(new Exception())).as("no rule").isSameAs(policy);
    }

    @Test
    @DisplayName("B43 a chain of causes that never ends is not followed for ever")
    void endlessCauses() {
        var first = new Exception("first");
        first.initCause(new Exception("second", first));
        FailurePolicy policy = FailurePolicy.skip().on(IOException.class, FailurePolicy.stop());
        assertThat(policy.forFailure(first)).isSameAs(policy);
    }

    @Test
    @DisplayName("B44 a policy knows whether it needs a producer, rules included")
    void deadLetters() {
        assertThat(FailurePolicy.retry(BACKOFF).deadLetters()).isFalse();
        assertThat(FailurePolicy.deadLetter("dlq").deadLetters()).isTrue();
        assertThat(FailurePolicy.skip()
                        .on(IOException.class, FailurePolicy.deadLetter("dlq"))
                        .deadLetters())
                .isTrue();
    }

    @Test
    @DisplayName("B43 the default tries for ever, 100 ms to 30 s apart, then stops")
    void pinnedDefault() {
        assertThat(FailurePolicy.DEFAULT.backoff())
                .contains(new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30), 2, 0.2));
        assertThat(FailurePolicy.DEFAULT.maxAttempts()).isEqualTo(Integer.MAX_VALUE);
        assertThat(FailurePolicy.DEFAULT.last()).isEqualTo(new FailurePolicy.Last.Stop());
        assertThat(FailurePolicy.DEFAULT).asString().startsWith("for ever, Backoff[first=PT0.1S, max=PT30S");
    }

    @Test
    @DisplayName("B52 no attempt at all and a topic without a name are refused")
    void refuses() {
        assertThatThrownBy(() -> FailurePolicy.retry(BACKOFF, 0))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("maxAttempts is 0 but must be at least 1: 1 makes no second attempt");
        assertThatThrownBy(() -> FailurePolicy.deadLetter(" "))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("thenDeadLetter is   but must name a topic: give the dead-letter topic's name");
    }

    private static void assertPolicy(FailurePolicy policy, int attempts, FailurePolicy.Last last) {
        assertThat(policy.maxAttempts()).isEqualTo(attempts);
        assertThat(policy.last()).isEqualTo(last);
    }
}
