/**
 * An actor of package {@code dev.laneway.ops.control} that scales a workload of Kubernetes, and the verb that runs it.
 * {@code ScaleApi} is all that it asks of the workload, {@code Leadership} who may ask. Uses the fabric8 client, which
 * nothing else does.
 */
@NullMarked
package dev.laneway.kubernetes;

import org.jspecify.annotations.NullMarked;
