package dev.laneway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.OffsetWindow;
import dev.laneway.ops.CommitMap.Run;
import dev.laneway.ops.CommitRules.LogEdge;
import dev.laneway.ops.GroupFacts.Position;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Judges commits without a broker. */
class CommitRulesTest {
    private static final TopicPartition ID = new TopicPartition("orders", 3);

    private static Position at(long committed, String metadata) {
        return new Position(committed, 4, metadata, Reading.UNKNOWN, null);
    }

    private static PartitionCommit judge(Position position, long start, long end) {
        return CommitRules.judge(
                ID, position, new LogEdge(start, null, null), new LogEdge(end, 4, null), CommitRules.DEFAULT_LIMIT);
    }

    /** Laneway's map of offsets that are undone below the cursor, beside the first of them. */
    static String map(TopicPartition id, long cursor, long... undone) {
        OffsetWindow window = new OffsetWindow();
        for (long offset : undone) {
            window.add(offset);
        }
        return OffsetMap.encode(id, undone[0], window, cursor);
    }

    @Test
    @DisplayName("B133 A lag of 218,000 of which 217,298 are done: a restart has 702 to do")
    void stuck() {
        PartitionCommit commit = judge(at(1_000, map(ID, 218_300, 1_000, 1_500)), 0, 219_000);
        assertThat(commit.lag()).isEqualTo(218_000);
        assertThat(commit.doneBeyond()).isEqualTo(217_298);
        assertThat(commit.lastDone()).isEqualTo(218_299);
        assertThat(commit.toDo()).isEqualTo(702);
        assertThat(commit.undone()).containsExactly(new Run(1_000, 1_001), new Run(1_500, 1_501));
        assertThat(commit.metadata().writer()).isEqualTo(CommitMetadata.Writer.LANEWAY);
        assertThat(commit.leaderEpoch()).isEqualTo(4);
        assertThat(commit.warnings()).isEmpty();
        assertThat(commit.isComplete()).isTrue();
    }

    @Test
    @DisplayName("B133 A commit without a map leaves all of the lag to do, and no commit leaves it unknown")
    void plain() {
        PartitionCommit plain = judge(at(5, ""), 0, 21);
        assertThat(plain.lag()).isEqualTo(16);
        assertThat(plain.toDo()).isEqualTo(16);
        assertThat(plain.undone()).isEmpty();
        assertThat(plain.lastDone()).isNull();
        PartitionCommit none = judge(Position.NONE, 0, 21);
        assertThat(none.committed()).isNull();
        assertThat(none.lag()).isNull();
        assertThat(none.toDo()).isNull();
        assertThat(none.warnings()).isEmpty();
        assertThat(none.isComplete()).isTrue();
    }

    @Test
    @DisplayName("B133 A committed offset below the log's start, and one beyond its end, are warned of")
    void outside() {
        PartitionCommit below = judge(at(5, map(ID, 12, 5, 7)), 10, 21);
        assertThat(below.lag()).isEqualTo(16);
        assertThat(below.toDo()).isEqualTo(9);
        assertThat(below.warnings())
                .singleElement()
                .asString()
                .contains("begins 5 offsets above the committed one, and 2 of them are not named done");
        PartitionCommit beyond = judge(at(30, ""), 0, 21);
        assertThat(beyond.lag()).isZero();
        assertThat(beyond.toDo()).isZero();
        assertThat(beyond.warnings()).singleElement().asString().contains("is 9 offsets beyond the log's end");
        PartitionCommit cut = judge(at(5, map(ID, 30, 5)), 0, 21);
        assertThat(cut.lag()).isEqualTo(16);
        assertThat(cut.toDo()).isEqualTo(1);
        assertThat(cut.warnings()).singleElement().asString().contains("done that are beyond the log's end");
    }

    @Test
    @DisplayName("B133 A leader epoch newer than the log's is warned of, and an older or unknown one is not")
    void epochs() {
        Position position = new Position(5, 9, "", Reading.UNKNOWN, null);
        LogEdge start = new LogEdge(0L, 9, null);
        assertThat(CommitRules.judge(ID, position, start, new LogEdge(9L, 4, null), 4_096)
                        .warnings())
                .singleElement()
                .asString()
                .contains("epoch 9 is newer than the log's 4");
        for (Integer leader : new Integer[] {9, 10, null}) {
            assertThat(CommitRules.judge(ID, position, start, new LogEdge(9L, leader, null), 4_096)
                            .warnings())
                    .isEmpty();
        }
    }

    @Test
    @DisplayName("B133 A map that cannot be read, and one that takes more than three quarters, are warned of")
    void metadata() {
        String map = map(ID, 218_300, 1_000, 1_500);
        assertThat(judge(at(1_001, map), 0, 219_000).warnings())
                .singleElement()
                .asString()
                .contains("cannot be read (its checksum is wrong")
                .contains("a restart handles again");
        assertThat(judge(at(1_000, "a note of the user"), 0, 2_000).warnings()).isEmpty();
        LogEdge end = new LogEdge(219_000L, null, null);
        LogEdge start = new LogEdge(0L, null, null);
        assertThat(CommitRules.judge(ID, at(1_000, map), start, end, map.length() + 1)
                        .warnings())
                .singleElement()
                .asString()
                .contains("has " + map.length() + " of the " + (map.length() + 1) + " characters");
    }

    @Test
    @DisplayName("B133 A log whose ends cannot be read is told with the reason, and is not complete")
    void unknownEnds() {
        PartitionCommit commit = CommitRules.judge(
                ID,
                at(5, map(ID, 12, 5, 7)),
                new LogEdge(0L, null, null),
                new LogEdge(null, null, "end offset: no answer within 10 ms"),
                4_096);
        assertThat(commit.isComplete()).isFalse();
        assertThat(commit.lag()).isNull();
        assertThat(commit.toDo()).isNull();
        assertThat(commit.doneBeyond()).isEqualTo(5);
        assertThat(commit.warnings()).containsExactly("end offset: no answer within 10 ms");
    }

    @Test
    @DisplayName("B133 Sums are those of each topic and of the group; what is not known counts as 0")
    void sums() {
        PartitionCommit stuck = judge(at(5, map(ID, 12, 5, 7)), 0, 21);
        PartitionCommit none = judge(Position.NONE, 0, 21);
        GroupCommits group = new GroupCommits(
                "g", GroupKind.CLASSIC, "Empty", 0, null, List.of(stuck, none, judge(at(30, ""), 0, 21)), List.of());
        CommitTotals sums = new CommitTotals(3, 1, 16, 5, 11, 1);
        assertThat(group.totals()).isEqualTo(sums);
        assertThat(group.totalsByTopic()).containsOnlyKeys("orders").containsValue(sums);
        assertThat(group.isComplete()).isTrue();
    }
}
