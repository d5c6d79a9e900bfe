package dev.laneway.ops.plan;

import java.util.List;

/**
 * A plan. Immutable.
 *
 * @param request what it is for
 * @param modes each mode's least by Little's law, with nothing to spare, in the order of {@link Mode}
 * @param chosen what the requested mode takes with all that it must stand; without the members that may fail
 * @param need the capacity that it takes, records a second
 * @param isEnough whether {@code chosen} has that capacity
 * @param figures of the chosen mode, each explained
 * @param warnings what to change, each with a remedy
 */
public record Plan(
        PlanRequest request,
        List<ModePlan> modes,
        ModePlan chosen,
        double need,
        boolean isEnough,
        List<Figure> figures,
        List<String> warnings) {
    /** Copies the lists. */
    public Plan {
        modes = List.copyOf(modes);
        figures = List.copyOf(figures);
        warnings = List.copyOf(warnings);
    }

    /** A figure by its name. */
    public Figure figure(String name) {
        return figures.stream()
                .filter(figure -> figure.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("a plan has no figure " + name));
    }

    /** All members, those that may fail included. */
    public int members() {
        return chosen.members() + request.goals().failures();
    }
}
