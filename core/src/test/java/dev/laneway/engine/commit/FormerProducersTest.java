package dev.laneway.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Producers that a process has no more")
class FormerProducersTest {
    private final FormerProducers former = new FormerProducers("shop-1", 2, 3);

    @Test
    @DisplayName("B113 of a process's own transactions, those beyond its members and producers are former ones")
    void ownAreKnown() {
        assertThat(List.of("shop-1-0-3", "shop-1-1-3", "shop-1-2-0", "shop-1-0-27"))
                .allMatch(former::isFormer);
        assertThat(List.of("shop-1-0-0", "shop-1-0-2", "shop-1-1-2")).noneMatch(former::isFormer);
    }

    @Test
    @DisplayName("B113 no other process's transaction is a former one, whatever it is called")
    void othersAreLeftAlone() {
        assertThat(List.of(
                        "shop-1",
                        "shop-1-",
                        "shop-1-7",
                        "shop-10-9-9",
                        "shop-2-9-9",
                        "shop-9-9",
                        "shop-1-5-0-9",
                        "shop-1-9-0-0",
                        "shop-1-9-",
                        "shop-1--9-9",
                        "shop-1-x-9",
                        "shop-1-09-9",
                        "shop-1-9-99999999999",
                        "a-shop-1-9-9",
                        "SHOP-1-9-9"))
                .noneMatch(former::isFormer);
    }
}
