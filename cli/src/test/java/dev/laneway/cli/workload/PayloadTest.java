package dev.laneway.cli.workload;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class PayloadTest {
    @Property(tries = 200)
    void isReadAsItWasWritten(
            @ForAll @LongRange(min = 0) long index,
            @ForAll @IntRange(min = 0) int key,
            @ForAll @IntRange(min = 0) int sequence,
            @ForAll @IntRange(min = Payload.LEAST_BYTES, max = 300) int size) {
        byte[] value = new Payload(index, key, sequence).valueBytes(size);
        assertThat(value).hasSize(size);
        assertThat(Payload.of(value)).isEqualTo(new Payload(index, key, sequence));
    }
}
