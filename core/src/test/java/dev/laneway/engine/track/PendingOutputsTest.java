package dev.laneway.engine.track;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.Options;
import dev.laneway.Outcome;
import dev.laneway.engine.Records;
import dev.laneway.engine.Shop;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMapTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What waits for a transaction, on one thread. */
class PendingOutputsTest {
    private static final int LIMIT = 4096;

    private final Shop shop = Shop.each(Options.DEFAULTS, (record, context) -> Outcome.done());
    private final Track track = shop.track;
    private final PendingOutputs outputs = track.outputs;

    PendingOutputsTest() {
        shop.poll("abc"); // Done at once: what they emit may be written.
    }

    private OutgoingRecords emitted(long offset, int bytes) {
        return emitted(track, offset, bytes);
    }

    private static OutgoingRecords emitted(Track track, long offset, int bytes) {
        OutgoingRecords delivery = new OutgoingRecords(
                track, Records.record(offset, "a"), List.of(new ProducerRecord<>("out", new byte[bytes])));
        try (var _ = track.guard.enter()) {
            track.outputs.add(delivery);
        }
        return delivery;
    }

    private List<RecordEmission> send() {
        TransactionPart part = outputs.send(LIMIT, null);
        assertThat(part).isNotNull();
        return part.outputs();
    }

    @Test
    @DisplayName("B61 what was aborted goes with the next transaction, in the same order, before what came later")
    void abortedGoesAgain() {
        OutgoingRecords first = emitted(0, 10);
        OutgoingRecords second = emitted(1, 20);
        assertThat(send()).containsExactly(first, second);
        OutgoingRecords third = emitted(2, 30);
        outputs.unwritten();
        assertThat(track.ledger.bytes()).isEqualTo(60);
        assertThat(send()).containsExactly(first, second, third);
        outputs.written();
        assertThat(track.ledger.bytes()).isZero();
    }

    @Test
    @DisplayName("what ends while a transaction is on its way stays for the next one")
    void laterStays() {
        emitted(0, 10);
        send();
        OutgoingRecords later = emitted(1, 20);
        outputs.written();
        assertThat(track.ledger.bytes()).isEqualTo(20);
        assertThat(send()).containsExactly(later);
    }

    @Test
    @DisplayName("B64 there is nothing to write when neither progress nor outputs are new")
    void nothingNew() {
        TransactionPart part = outputs.send(LIMIT, null);
        assertThat(part).isNotNull();
        assertThat(outputs.send(LIMIT, part.progress())).isNull();
    }

    @Test
    @DisplayName("B61 what takes the place of a refused output stands where it stood")
    void replaced() {
        OutgoingRecords first = emitted(0, 10);
        OutgoingRecords refused = emitted(1, 1_000);
        OutgoingRecords third = emitted(2, 30);
        send();
        outputs.unwritten();
        OutgoingRecords letter = new OutgoingRecords(track, refused.record, List.of());
        outputs.replace(refused, letter);
        assertThat(send()).containsExactly(first, letter, third);
        assertThat(track.ledger.bytes()).isEqualTo(40);
    }

    @Test
    @DisplayName("B35 a track that was given up has nothing to write, and the end of its transaction changes nothing")
    void droppedHasNothing() {
        emitted(0, 10);
        send();
        track.drop();
        outputs.written();
        assertThat(track.ledger.bytes()).isZero();
        assertThat(outputs.send(LIMIT, null)).isNull();
    }

    @Test
    @DisplayName("B7 B61 what a cut map does not name is not written yet; it is when a commit names it, in order")
    void cutMap() {
        Shop slow = Shop.each(
                Options.DEFAULTS,
                (record, context) -> record.offset() % 2 == 0 && context.attempt() == 1
                        ? Outcome.retryAfter(Duration.ofHours(1))
                        : Outcome.done());
        slow.poll("abcdefghijklmnopqrstuvwxyz");
        List<OutgoingRecords> all = new ArrayList<>();
        for (long offset = 1; offset < 26; offset += 2) {
            all.add(emitted(slow.track, offset, 10));
        }
        int room = 5; // The header, and 15 of the 26 bits.
        TransactionPart part = slow.track.outputs.send(room, null);
        assertThat(part).isNotNull();
        DecodedMetadata.Map map = OffsetMapTest.mapOf(0, part.progress().metadata());
        assertThat(part.outputs())
                .isNotEmpty()
                .hasSizeLessThan(all.size())
                .containsExactlyElementsOf(all.stream()
                        .filter(delivery -> map.isDone(delivery.record.offset()))
                        .toList());
        slow.track.outputs.written();
        assertThat(slow.track.outputs.send(room, part.progress())).isNull();
        slow.retry();
        TransactionPart rest = slow.track.outputs.send(room, part.progress());
        assertThat(rest).isNotNull();
        assertThat(rest.outputs())
                .containsExactlyElementsOf(all.subList(part.outputs().size(), all.size()));
    }

    @Test
    @DisplayName("two transactions at once would write the same twice, so there are never two")
    void neverTwo() {
        emitted(0, 10);
        send();
        assertThatThrownBy(() -> outputs.send(LIMIT, null)).isInstanceOf(IllegalStateException.class);
    }
}
