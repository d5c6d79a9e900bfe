package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FetchTimesTest {
    private final FetchTimes times = new FetchTimes();

    @Test
    @DisplayName("B153 a record was fetched with the first fetch that reaches its offset")
    void reaches() {
        times.fetched(0, 9, 100);
        times.fetched(15, 19, 200);
        assertThat(times.at(0)).hasValue(100);
        assertThat(times.at(9)).hasValue(100);
        assertThat(times.at(15)).hasValue(200);
        assertThat(times.at(19)).hasValue(200);
        assertThat(times.at(20)).isEmpty();
        assertThat(new FetchTimes().at(0)).isEmpty();
    }

    @Test
    @DisplayName("B153 what was fetched too long ago is not known, and nothing is told of it")
    void forgets() {
        for (int i = 0; i < 1_000; i++) {
            times.fetched(i, i, i);
        }
        assertThat(times.at(999)).hasValue(999);
        assertThat(times.at(800)).hasValue(800);
        assertThat(times.at(700)).isEqualTo(OptionalLong.empty());
    }

    @Test
    @DisplayName("B153 after a seek back the later fetch counts")
    void soughtBack() {
        times.fetched(0, 9, 100);
        times.fetched(5, 14, 200);
        assertThat(times.at(7)).hasValue(200);
    }
}
