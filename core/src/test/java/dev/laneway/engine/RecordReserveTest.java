package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.config.RecordBudget;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("B25 how much may be held grows with what workers lack, up to its limit")
class RecordReserveTest {
    private static final int LOOKS = 16;

    private boolean idle = true;
    private final RecordReserve reserve = new RecordReserve(new RecordBudget(100, 350), () -> idle);

    @Test
    void doublesWhenWorkersAreIdleThoughRecordsAreHeldBack() {
        look(LOOKS - 1, true);
        assertThat(reserve.records()).isEqualTo(100);
        assertThat(reserve.isWatched()).isTrue();
        look(1, true);
        assertThat(reserve.records()).isEqualTo(200);
        assertThat(reserve.isWatched()).isFalse();
    }

    @Test
    void growsNoFurtherBeforeRecordsHaveCome() {
        look(10 * LOOKS, true);
        assertThat(reserve.records()).isEqualTo(200);
        reserve.fed();
        look(1 + LOOKS, true);
        assertThat(reserve.records()).isEqualTo(350);
    }

    @Test
    void neverPassesItsLimit() {
        for (int i = 0; i < 100; i++) {
            reserve.fed();
            look(1 + LOOKS, true);
        }
        assertThat(reserve.records()).isEqualTo(350);
        assertThat(reserve.isWatched()).isFalse();
    }

    @Test
    void staysWhereNothingIsHeldBack() {
        look(LOOKS - 1, true);
        look(1, false);
        assertThat(reserve.isWatched()).isFalse();
        look(LOOKS - 1, true);
        assertThat(reserve.records()).isEqualTo(100);
    }

    @Test
    void aLookRightAfterRecordsHaveComeSaysNothing() {
        for (int i = 0; i < 10 * LOOKS; i++) {
            reserve.fed();
            look(1, true);
        }
        assertThat(reserve.records()).isEqualTo(100);
    }

    @Test
    void workersThatAreIdleAtTimesNeedNoMore() {
        for (int i = 0; i < 10 * LOOKS; i++) {
            idle = i % 3 == 0;
            look(1, true);
        }
        assertThat(reserve.records()).isEqualTo(100);
    }

    @Test
    void aFixedOneStays() {
        RecordReserve fixed = RecordReserve.fixed(10);
        for (int i = 0; i < 10 * LOOKS; i++) {
            fixed.turn(true);
        }
        assertThat(fixed.records()).isEqualTo(10);
    }

    private void look(int times, boolean heldBack) {
        for (int i = 0; i < times; i++) {
            reserve.turn(heldBack);
        }
    }
}
