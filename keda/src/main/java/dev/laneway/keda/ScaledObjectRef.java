package dev.laneway.keda;

import java.util.Map;

/**
 * What KEDA says of who asks. Immutable.
 *
 * @param metadata what the ScaledObject's trigger has
 */
record ScaledObjectRef(String name, String namespace, Map<String, String> metadata) {
    ScaledObjectRef {
        metadata = Map.copyOf(metadata);
    }
}
