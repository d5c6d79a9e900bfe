package dev.laneway.engine.offsets;

/**
 * Bits in text: 15 per character, in the 32,768 characters from U+0800 to U+87FF, none of which is a surrogate. The
 * most significant bit comes first.
 */
public final class BitText {

    public static final int PER_CHAR = 15;
    static final int MASK = (1 << PER_CHAR) - 1;

    private static final char FIRST = '\u0800';
    private static final char LAST = FIRST + MASK;

    private BitText() {}

    /** The character for 15 bits. */
    public static char packed(int value) {
        return (char) (FIRST + (value & MASK));
    }

    /** The 15 bits of a character for which {@link #isPacked} holds. */
    static int value(char packed) {
        return packed - FIRST;
    }

    static boolean isPacked(CharSequence text) {
        return text.chars().allMatch(c -> c >= FIRST && c <= LAST);
    }

    /** How many characters so many bits take. */
    public static long chars(long bits) {
        return bits / PER_CHAR + (bits % PER_CHAR == 0 ? 0 : 1);
    }

    /** How many bits the Elias gamma code of a number takes. */
    public static int gammaLength(long positive) {
        return 2 * log2(positive) + 1;
    }

    /** The largest number whose gamma code takes at most so many bits, of which there is at least one. */
    static long longestGamma(long bits) {
        int width = (int) Math.min(Long.SIZE - 1, (bits + 1) / 2);
        return (1L << width) - 1;
    }

    /** The binary logarithm, rounded down. */
    static int log2(long positive) {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(positive);
    }

    /** Writes into an array that is long enough. Not thread-safe. */
    public static final class Writer {
        private final char[] out;
        private int next;
        private int pending;
        private int filled;

        public Writer(char[] out, int from) {
            this.out = out;
            this.next = from;
        }

        /** Writes a number in the Elias gamma code: floor(log2 n) zeros, then n in binary. */
        public void gamma(long positive) {
            int width = log2(positive) + 1;
            repeat(0, width - 1);
            raw(positive, width);
        }

        /** Writes the lowest bits of a number, most significant bit first. */
        void raw(long number, int width) {
            for (int shift = width - 1; shift >= 0; shift--) {
                bit((int) (number >>> shift) & 1);
            }
        }

        /** Writes the same bit several times. */
        void repeat(int bit, long times) {
            long left = times;
            while (left > 0) {
                int chunk = (int) Math.min(left, PER_CHAR - filled);
                pending = pending << chunk | (bit == 0 ? 0 : (1 << chunk) - 1);
                left -= chunk;
                advance(chunk);
            }
        }

        /** Pads the last character with zeros. */
        public void finish() {
            if (filled > 0) {
                repeat(0, PER_CHAR - filled);
            }
        }

        private void bit(int bit) {
            pending = pending << 1 | bit;
            advance(1);
        }

        private void advance(int bits) {
            filled += bits;
            if (filled == PER_CHAR) {
                out[next++] = packed(pending);
                pending = 0;
                filled = 0;
            }
        }
    }

    /** Reads text for which {@link #isPacked} holds. Not thread-safe. */
    static final class Reader {
        private final CharSequence in;
        private final long end;
        private long position;

        Reader(CharSequence in, int from) {
            this.in = in;
            this.position = (long) from * PER_CHAR;
            this.end = (long) in.length() * PER_CHAR;
        }

        /** How many bits are left. */
        long remaining() {
            return end - position;
        }

        int next() {
            int packed = value(in.charAt((int) (position / PER_CHAR)));
            int bit = packed >>> (PER_CHAR - 1 - (int) (position % PER_CHAR)) & 1;
            position++;
            return bit;
        }

        /** Reads a number in the Elias gamma code; 0 if only zeros are left, -1 if the code is broken. */
        long gamma() {
            int zeros = 0;
            int bit = 0;
            while (remaining() > 0 && bit == 0) {
                bit = next();
                zeros += 1 - bit;
            }
            if (bit == 0) {
                return 0;
            }
            if (zeros >= Long.SIZE - 1 || zeros > remaining()) {
                return -1;
            }
            return 1L << zeros | raw(zeros);
        }

        /** Reads so many bits, which must be left, as a number. */
        long raw(int width) {
            long number = 0;
            for (int i = 0; i < width; i++) {
                number = number << 1 | next();
            }
            return number;
        }
    }
}
