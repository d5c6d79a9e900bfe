package dev.laneway.ops.scale;

/**
 * The state that has to be restored where tasks move. Immutable.
 *
 * @param taskReplicas tasks with state, active and standby
 * @param standbys standby replicas of each task
 * @param warmups tasks that may warm up at the same time while the old owner goes on; 0 if tasks move at once and wait
 *     until their state is restored
 * @param probingSeconds between two looks whether they are warm
 * @param restoreSeconds to restore one task
 */
public record RestoreLoad(int taskReplicas, int standbys, int warmups, double probingSeconds, double restoreSeconds) {
    boolean isSane() {
        return taskReplicas >= 0
                && standbys >= 0
                && warmups >= 0
                && probingSeconds >= 0
                && probingSeconds < 1e9
                && restoreSeconds >= 0
                && restoreSeconds < 1e9;
    }
}
