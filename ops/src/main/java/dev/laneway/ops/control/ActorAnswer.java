package dev.laneway.ops.control;

/** What became of a change. Immutable. */
public sealed interface ActorAnswer {
    /** In words, without a full stop. */
    String words();

    /** The change is made, or is under way. */
    record Done(String words) implements ActorAnswer {}

    /** Nothing was changed; the next turn measures and decides anew. */
    record Refused(String words) implements ActorAnswer {}

    /** Nobody can tell whether it was changed, such as after a timeout: counts as a change. */
    record Unsure(String words) implements ActorAnswer {}
}
