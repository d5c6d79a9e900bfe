package dev.laneway.engine.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Bits in text")
class BitTextTest {

    @Test
    @DisplayName("B2 lie in the characters from U+0800 to U+87FF, both included")
    void alphabet() {
        assertThat(BitText.packed(0)).isEqualTo('\u0800');
        assertThat(BitText.packed(BitText.MASK)).isEqualTo('\u87FF');
        assertThat(BitText.value('\u87FF')).isEqualTo(BitText.MASK);
        assertThat(BitText.isPacked("\u0800\u87FF")).isTrue();
        assertThat(BitText.isPacked("\u0800\u07FF")).isFalse();
        assertThat(BitText.isPacked("\u8800\u0800")).isFalse();
    }

    @Test
    @DisplayName("B2 take a character for each 15 of them, and one for the rest")
    void characters() {
        assertThat(BitText.chars(0)).isZero();
        assertThat(BitText.chars(1)).isEqualTo(1);
        assertThat(BitText.chars(15)).isEqualTo(1);
        assertThat(BitText.chars(16)).isEqualTo(2);
        assertThat(BitText.chars(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE / 15 + 1);
    }

    @Test
    @DisplayName("B2 that end with a character are written without another one")
    void fullCharacter() {
        char[] text = new char[1];
        BitText.Writer writer = new BitText.Writer(text, 0);
        writer.gamma(128 + 5); // Seven zeros, and eight bits.
        writer.finish();
        assertThat(text[0]).isEqualTo(BitText.packed(128 + 5));

        BitText.Reader reader = new BitText.Reader(new String(text), 0);
        assertThat(reader.remaining()).isEqualTo(15);
        assertThat(reader.gamma()).isEqualTo(128 + 5);
        assertThat(reader.remaining()).isZero();
        assertThat(reader.gamma()).isZero();
    }

    @Test
    @DisplayName("B2 of a code that is cut, or of a number beyond the Long range, are recognised")
    void brokenCode() {
        assertThat(reader(14, 1).gamma()).isEqualTo(-1);
        assertThat(reader(62, 62).gamma()).isEqualTo(1L << 62);
        assertThat(reader(63, 90).gamma()).isEqualTo(-1);
        assertThat(reader(70, 90).gamma()).isEqualTo(-1);
    }

    @Test
    @DisplayName("B93 of a hash are written as they are, wherever it begins")
    void raw() {
        for (int before = 0; before < BitText.PER_CHAR; before++) {
            char[] text = new char[10];
            BitText.Writer writer = new BitText.Writer(text, 0);
            writer.repeat(1, before);
            writer.raw(Long.MIN_VALUE + 5, Long.SIZE);
            writer.raw(0, 0);
            writer.raw(-1, 3);
            writer.finish();
            BitText.Reader reader = new BitText.Reader(new String(text, 0, (int) BitText.chars(before + 67)), 0);
            assertThat(reader.raw(before)).isEqualTo((1L << before) - 1);
            assertThat(reader.raw(Long.SIZE)).isEqualTo(Long.MIN_VALUE + 5);
            assertThat(reader.raw(3)).isEqualTo(7);
        }
    }

    @Test
    @DisplayName("B93 that are left hold a number up to the longest whose code fits")
    void longestGamma() {
        for (int bits = 1; bits < 2 * Long.SIZE - 2; bits++) {
            long longest = BitText.longestGamma(bits);
            assertThat(BitText.gammaLength(longest)).isLessThanOrEqualTo(bits);
            if (longest < Long.MAX_VALUE) {
                assertThat(BitText.gammaLength(longest + 1)).isGreaterThan(bits);
            }
        }
        assertThat(BitText.longestGamma(1)).isEqualTo(1);
        assertThat(BitText.longestGamma(125)).isEqualTo(Long.MAX_VALUE);
        assertThat(BitText.longestGamma(Long.MAX_VALUE - 1)).isEqualTo(Long.MAX_VALUE);
    }

    /** So many zeros, a set bit, and zeros up to the end of the character in which so many bits more end. */
    private static BitText.Reader reader(int zeros, int more) {
        char[] text = new char[(int) BitText.chars(zeros + more)];
        BitText.Writer writer = new BitText.Writer(text, 0);
        writer.repeat(0, zeros);
        writer.repeat(1, 1);
        writer.repeat(0, more - 1);
        writer.finish();
        return new BitText.Reader(new String(text), 0);
    }
}
