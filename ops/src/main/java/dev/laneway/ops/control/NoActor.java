package dev.laneway.ops.control;

/** Of a group that nobody changes: for the modes that only decide. Stateless. */
public final class NoActor implements ScalingActor {
    @Override
    public ActorView look(boolean mayAct) {
        return ActorView.NONE;
    }

    @Override
    public ActorAnswer change(int from, int to, String sentence) {
        return new ActorAnswer.Refused("there is nothing to act on");
    }

    @Override
    public void close() {}
}
