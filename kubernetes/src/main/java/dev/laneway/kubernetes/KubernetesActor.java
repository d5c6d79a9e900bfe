package dev.laneway.kubernetes;

import dev.laneway.ops.control.ActorAnswer;
import dev.laneway.ops.control.ActorView;
import dev.laneway.ops.control.LoopClock;
import dev.laneway.ops.control.ScalingActor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Scales a workload by its scale subresource. It stands by while it does not lead, while somebody else scales the
 * workload, while somebody has scaled it to zero, and while the server does not say how it is. Used by one thread.
 */
final class KubernetesActor implements ScalingActor {
    private final ScaleApi api;
    private final Workload workload;
    private final Supplier<@Nullable String> standby;
    private final LoopClock clock;
    private final List<String> news = new ArrayList<>();
    private ScaleApi.@Nullable Scale seen;

    /** @param standby why this one must not act, in words; null if it may */
    KubernetesActor(ScaleApi api, Workload workload, Supplier<@Nullable String> standby, LoopClock clock) {
        this.api = api;
        this.workload = workload;
        this.standby = standby;
        this.clock = clock;
    }

    @Override
    public ActorView look(boolean mayAct) {
        seen = null;
        ScaleApi.Scale scale;
        String reason;
        try {
            scale = api.read();
            String rival = api.rival();
            reason = rival != null
                    ? rival + " scales " + workload + " too: delete it, or end this autoscaler"
                    : scale.wanted() == 0 ? "somebody has scaled " + workload + " to 0" : standby.get();
        } catch (ApiFailure failed) {
            return ActorView.unknown(failed.sentence());
        }
        seen = scale;
        List<String> told = List.copyOf(news);
        news.clear();
        return new ActorView(scale.present(), reason, scale.present() == scale.wanted(), Set.of(), told);
    }

    @Override
    public ActorAnswer change(int from, int to, String sentence) {
        ScaleApi.Scale scale = seen;
        if (scale == null || scale.wanted() != from) {
            return new ActorAnswer.Refused(
                    workload + " is to have " + (scale == null ? "?" : scale.wanted()) + " replicas, not " + from);
        }
        try {
            api.change(scale, to);
        } catch (ApiFailure failed) {
            return failed.isUnsure()
                    ? new ActorAnswer.Unsure("perhaps not done: " + failed.sentence())
                    : new ActorAnswer.Refused(failed.sentence());
        }
        try {
            api.tell(to > from ? "ScaledUp" : "ScaledDown", sentence, Instant.ofEpochMilli(clock.millis()));
        } catch (ApiFailure failed) {
            news.add("no event tells of the change: " + failed.sentence());
        }
        return new ActorAnswer.Done("sets the replicas of " + workload + " to " + to);
    }

    @Override
    public void close() {}
}
