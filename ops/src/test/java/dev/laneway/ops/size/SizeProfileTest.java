package dev.laneway.ops.size;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.laneway.ops.plan.Capacity;
import dev.laneway.ops.plan.Goals;
import dev.laneway.ops.plan.Instance;
import dev.laneway.ops.plan.KafkaSettings;
import dev.laneway.ops.plan.Limit;
import dev.laneway.ops.plan.Load;
import dev.laneway.ops.plan.LocalState;
import dev.laneway.ops.plan.MeasuredWork;
import dev.laneway.ops.plan.Mode;
import dev.laneway.ops.plan.Plan;
import dev.laneway.ops.plan.PlanRequest;
import dev.laneway.ops.plan.Planner;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizeProfileTest {
    private static SizeProfile profile(int partitions, int least, double rate, double moreRate, boolean machine) {
        return new SizeProfile(
                "2026-01-31T12:00:00Z",
                List.of("app"),
                List.of("t"),
                partitions,
                2,
                least,
                rate,
                rate * 1.05,
                moreRate,
                0.4,
                machine,
                false,
                "EXTERNAL_CALL",
                "threads wait for another service",
                new MeasuredWork(0.01, 0, 100, 32, List.of("seen")));
    }

    private static Plan plan(SizeProfile profile, double wanted, Goals goals) {
        return Planner.plan(new PlanRequest(
                Mode.KEY,
                Load.of(wanted, profile.work().serviceSeconds(), 0),
                Instance.USUAL,
                goals,
                KafkaSettings.USUAL,
                LocalState.NONE,
                profile.instance()));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1000, 2000, 1.0",
        "1, 1000, 1800, 0.9",
        "1, 1000, 1000, 0.5",
        "2, 2000, 2700, 0.9",
        "3, 3000, 3600, 0.9"
    })
    @DisplayName(
            "B184 a plan gives the rates back that were measured, and the coefficient is that of one instance more")
    void givesBack(int least, double rate, double moreRate, double scaling) {
        SizeProfile profile = profile(12, least, rate, moreRate, false);
        assertThat(profile.instance().groupRate(12, least)).isCloseTo(rate, within(1e-6));
        assertThat(profile.instance().groupRate(12, least + 1)).isCloseTo(moreRate, within(1e-6));
        assertThat(profile.scaling()).isCloseTo(scaling, within(1e-9));
        Plan plan = plan(profile, moreRate, Goals.BARE.with(12, least + 1));
        assertThat(plan.chosen().members()).isEqualTo(rate == moreRate ? least : least + 1);
        assertThat(plan.chosen().real())
                .isEqualTo(new Capacity(plan.chosen().real().rate(), Limit.MEASURED));
        assertThat(plan.chosen().real().rate()).isCloseTo(moreRate, within(1e-6));
    }

    @Test
    @DisplayName("B184 members with more partitions than others count as what limits the group")
    void uneven() {
        // Ten partitions: three members have 4, 3 and 3 of them.
        SizeProfile profile = profile(10, 2, 2_000, 2_500, false);
        assertThat(profile.scaling()).isCloseTo(1, within(1e-9));
        assertThat(profile.instance().groupRate(10, 3)).isCloseTo(2_500, within(1e-6));
    }

    @Test
    @DisplayName("B184 more than twice as much is noise, and where the machine was the limit only one instance counts")
    void noContention() {
        assertThat(profile(12, 1, 1_000, 2_040, false).instance().contention()).isZero();
        assertThat(profile(12, 1, 1_000, 2_040, false).instance().rate()).isCloseTo(1_010, within(1e-9));
        assertThat(profile(12, 1, 1_000, 1_100, true).instance().rate()).isEqualTo(1_000);
        assertThat(profile(12, 1, 1_000, 1_100, true).instance().contention()).isZero();
        assertThat(profile(12, 1, 1_000, 0, false).instance().rate()).isEqualTo(1_000);
        assertThat(profile(12, 1, 1_000, 0, false).scaling()).isNaN();
    }

    @Test
    @DisplayName("B184 the fewest instances for a rate; none if each that is added takes as much as it brings")
    void instances() {
        SizeProfile even = profile(12, 1, 1_000, 2_000, false);
        assertThat(even.instancesFor(900)).isEqualTo(1);
        assertThat(even.instancesFor(1_000)).isEqualTo(1);
        assertThat(even.instancesFor(10_000)).isEqualTo(10);
        assertThat(even.instancesFor(10_001)).isEqualTo(11);
        SizeProfile waiting = profile(12, 1, 1_000, 1_800, false);
        for (int members = 2; members < 8; members++) {
            double rate = members * waiting.instance().memberRate(members);
            assertThat(waiting.instancesFor(rate)).isEqualTo(members);
            assertThat(waiting.instancesFor(rate * 1.001)).isEqualTo(members + 1);
        }
        assertThat(waiting.instancesFor(1e6)).isZero();
        assertThat(profile(12, 1, 1_000, 900, false).instancesFor(2_000)).isZero();
        assertThat(plan(waiting, 1e6, Goals.BARE).isEnough()).isFalse();
        assertThat(plan(waiting, 1e6, Goals.BARE).warnings()).anyMatch(each -> each.contains("wait for each other"));
    }

    @Test
    @DisplayName("B184 a simulated instance does what was measured, with the measured time of a record")
    void simulated() {
        SizeProfile profile = profile(12, 1, 3_000, 6_000, false);
        assertThat(profile.simulatedConcurrency()).isEqualTo(30);
        assertThat(profile.simulatedSeconds(1)).isCloseTo(0.01, within(1e-9));
        assertThat(profile(12, 1, 1_000, 1_600, false).simulatedSeconds(2)).isCloseTo(0.0125, within(1e-9));
    }

    @Test
    @DisplayName("B184 a profile that nothing can be computed with is refused")
    void refused() {
        assertThatThrownBy(() -> profile(12, 1, 0, 1, false)).hasMessageContaining("rate is 0.0");
        assertThatThrownBy(() -> profile(12, 1, 1, Double.NaN, false)).hasMessageContaining("moreRate is NaN");
        assertThatThrownBy(() -> profile(1, 2, 1, 1, false)).hasMessageContaining("partitions 1");
    }
}
