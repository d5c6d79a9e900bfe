package dev.laneway.ills;

import dev.laneway.ops.check.Cause;
import java.time.Duration;

/**
 * A way in which a group can be ill, as a set-up that can be started. Immutable.
 *
 * @param name in kebab case; also the group's id
 * @param sentence what is staged
 * @param cause the verdict that is right at {@link Strength#MILD} and {@link Strength#SEVERE}
 */
public record Illness(String name, String sentence, Cause cause, Staging staging) {
    /** What makes an illness of a broker. */
    @FunctionalInterface
    interface Staging {
        /** Makes topics, load and members, and returns when the fault has begun. */
        void stage(Setting setting, Strength strength) throws InterruptedException;
    }

    /** The group's id. */
    public String group() {
        return name;
    }

    /** Starts it, and returns when it has shown for a while: within 45 s. */
    public Setting start(Strength strength) throws InterruptedException {
        return start(strength, Setting.WARM_UP);
    }

    /** Starts it, and returns when it has shown so long, or as long as it needs. */
    Setting start(Strength strength, Duration warmUp) throws InterruptedException {
        Setting setting = Setting.open(group());
        try {
            setting.warmUp(warmUp);
            staging.stage(setting, strength);
            setting.settle();
            return setting;
        } catch (InterruptedException | RuntimeException failed) {
            setting.close();
            throw failed;
        }
    }
}
