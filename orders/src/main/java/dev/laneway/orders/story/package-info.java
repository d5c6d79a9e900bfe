/**
 * The guide's sizing story: what it prints of its six steps, as samples that {@code laneway check} judges. Pure; it may
 * use what ops observes, and nothing else. docs/orders.md says which numbers are the guide's.
 */
@NullMarked
package dev.laneway.orders.story;

import org.jspecify.annotations.NullMarked;
