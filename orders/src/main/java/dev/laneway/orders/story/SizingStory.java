package dev.laneway.orders.story;

import dev.laneway.orders.story.StoryStep.DiskLine;
import java.util.List;

/** The steps, with the numbers that the guide prints. */
public final class SizingStory {
    private static final long GIB = 1L << 30;
    private static final long MIB = 1L << 20;
    private static final double NOT_PRINTED = -1;

    /** Two nodes of 4 GiB: the page cache has no room, and the volume is read. */
    private static final List<DiskLine> READING = List.of(
            new DiskLine(3550.8, 70363.2, 311.2, 65175.2, 92.96),
            new DiskLine(2177.8, 27339.2, 254.4, 55478.4, 86.96),
            new DiskLine(2820.2, 63307.2, 363.2, 70940.0, 92.88),
            new DiskLine(2415.8, 52355.2, 236.6, 52659.2, 93.84),
            new DiskLine(3502.6, 52911.2, 188.0, 37404.8, 92.56),
            new DiskLine(3278.6, 33156.0, 227.2, 48872.0, 93.04));

    /** Two nodes of 10 GiB: 125 MiB a second are written, which is all that the volume takes. */
    private static final List<DiskLine> WRITING = List.of(
            new DiskLine(28.8, 118.4, 550.2, 128072.8, 92.8),
            new DiskLine(27.6, 119.2, 553.2, 128060.8, 99.2),
            new DiskLine(26.8, 113.6, 564.2, 128121.6, 95.84),
            new DiskLine(28.0, 121.6, 555.8, 128102.4, 90.24),
            new DiskLine(34.4, 148.0, 556.2, 128056.8, 97.84),
            new DiskLine(21.0, 90.4, 557.8, 128133.6, 97.84));

    private static final List<DiskLine> SCALED_OUT = List.of(new DiskLine(334.3, 2708.2, 444.43, 97392.13, 65.13));
    private static final List<DiskLine> BUFFERED = List.of(new DiskLine(248.52, 4231.73, 269.57, 62395.27, 50.52));

    private SizingStory() {}

    /** The six steps; the fourth has two parts. */
    public static List<StoryStep> steps() {
        return List.of(
                new StoryStep(
                        "1-stable",
                        "2 nodes of 4 GiB, 1,000 records/s",
                        "stable",
                        2,
                        4 * GIB,
                        1_000,
                        1,
                        List.of(),
                        128 * MIB,
                        NOT_PRINTED,
                        NOT_PRINTED,
                        0),
                new StoryStep(
                        "2-reads",
                        "the same, 10,000 records/s",
                        "reads miss the caches: more memory",
                        2,
                        4 * GIB,
                        10_000,
                        0.9,
                        READING,
                        128 * MIB,
                        0.21,
                        NOT_PRINTED,
                        0),
                new StoryStep(
                        "3-writes",
                        "10 GiB each",
                        "keeps up, just barely: writes at the volume's cap",
                        2,
                        10 * GIB,
                        10_000,
                        1,
                        WRITING,
                        128 * MIB,
                        NOT_PRINTED,
                        NOT_PRINTED,
                        0),
                new StoryStep(
                        "4-scaling-out",
                        "a third node, while tasks move to it",
                        "wait until they have moved",
                        3,
                        10 * GIB,
                        10_000,
                        1,
                        WRITING,
                        128 * MIB,
                        NOT_PRINTED,
                        NOT_PRINTED,
                        2),
                new StoryStep(
                        "4-scaled-out",
                        "the third node has its tasks",
                        "a more reasonable load",
                        3,
                        10 * GIB,
                        10_000,
                        1,
                        SCALED_OUT,
                        128 * MIB,
                        NOT_PRINTED,
                        NOT_PRINTED,
                        0),
                new StoryStep(
                        "5-buffers",
                        "write buffers of 512 MiB in place of 128 MiB",
                        "much better",
                        3,
                        10 * GIB,
                        10_000,
                        1,
                        BUFFERED,
                        512 * MIB,
                        NOT_PRINTED,
                        NOT_PRINTED,
                        0),
                new StoryStep(
                        "6-idle",
                        "3,000 records/s",
                        "one node may go",
                        3,
                        10 * GIB,
                        3_000,
                        1,
                        List.of(),
                        512 * MIB,
                        NOT_PRINTED,
                        0.5,
                        0));
    }
}
