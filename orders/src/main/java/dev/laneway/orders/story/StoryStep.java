package dev.laneway.orders.story;

import java.util.List;

/**
 * A step of the story, or a part of one. Immutable.
 *
 * @param name names its recording
 * @param title what was run, in words
 * @param right what the guide concludes, in words
 * @param nodes processes of four threads each
 * @param memoryBytes the memory limit of one
 * @param rate records a second that are appended to both topics
 * @param handled share of these that is processed; the others wait
 * @param disk what the disk of a node does, one line of iostat after the other; empty where nothing was printed
 * @param writeBuffersBytes the write buffer manager's limit
 * @param dataHits share of reads of data blocks that the block cache answered; negative where it was not printed
 * @param idle share of their time for which threads wait for records; negative where it was not printed
 * @param movingTasks tasks whose state the newest node still has to get
 */
public record StoryStep(
        String name,
        String title,
        String right,
        int nodes,
        long memoryBytes,
        double rate,
        double handled,
        List<DiskLine> disk,
        long writeBuffersBytes,
        double dataHits,
        double idle,
        int movingTasks) {
    /** Copies the list. */
    public StoryStep {
        disk = List.copyOf(disk);
    }

    /**
     * A line of iostat.
     *
     * @param busyPercent of the time
     */
    public record DiskLine(
            double readsPerSecond,
            double readKibPerSecond,
            double writesPerSecond,
            double writtenKibPerSecond,
            double busyPercent) {}
}
