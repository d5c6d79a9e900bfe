package dev.laneway.ops.plan;

/**
 * One figure of a plan. Immutable.
 *
 * @param name such as {@code members}
 * @param value in records, seconds or bytes
 * @param text the value for people
 * @param sentence what it means, and how it comes about
 */
public record Figure(String name, double value, String text, String sentence) {}
