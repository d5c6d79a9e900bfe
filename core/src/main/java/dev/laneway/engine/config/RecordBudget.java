package dev.laneway.engine.config;

/**
 * How many records a member may hold. Immutable.
 *
 * @param first before it has shown that it needs more
 * @param most what it never passes
 */
public record RecordBudget(long first, long most) {

    /** One that does not grow. */
    public static RecordBudget fixed(long records) {
        return new RecordBudget(records, records);
    }
}
