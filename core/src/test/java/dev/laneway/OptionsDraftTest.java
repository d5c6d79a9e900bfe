package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OptionsDraftTest {
    private static final Options OTHER = new Options(
            "orders",
            Ordering.PARTITION,
            7,
            3,
            500,
            1_000,
            Duration.ofSeconds(1),
            FailurePolicy.skip(),
            CommitMode.ahead(),
            Duration.ofSeconds(9),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(4),
            Duration.ofSeconds(9),
            StartCheck.FAIL,
            Duration.ofSeconds(5),
            Duration.ofSeconds(6),
            Workers.cpuBound(7),
            NullKeys.UNORDERED,
            MetadataPolicy.IGNORE_FOREIGN,
            StartPosition.latest(),
            false);

    @Test
    void keepsEveryOption() throws ReflectiveOperationException {
        for (RecordComponent option : Options.class.getRecordComponents()) {
            assertThat(option.getAccessor().invoke(OTHER))
                    .as("a value that is not the default of %s", option.getName())
                    .isNotEqualTo(option.getAccessor().invoke(Options.DEFAULTS));
        }
        assertThat(new OptionsDraft(OTHER).toOptions()).isEqualTo(OTHER);
    }

    @Test
    void theOrderOfSettingDoesNotMatter() {
        var draft = new OptionsDraft(Options.DEFAULTS);
        draft.consumers = 300;
        assertThatThrownBy(draft::toOptions)
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("consumers");

        draft.concurrency = 1_000;
        assertThat(draft.toOptions().consumers()).isEqualTo(300);
    }
}
