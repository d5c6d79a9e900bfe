package dev.laneway.engine;

import dev.laneway.engine.offsets.BitText;
import dev.laneway.engine.offsets.OffsetMap;
import org.apache.kafka.common.TopicPartition;

/** Writes metadata that the encoder would not: with a right checksum around any payload. */
public final class MapText {

    private MapText() {}

    /** A map of the given kind around a payload of packed characters. */
    public static String sealed(TopicPartition id, long base, int kind, String payload) {
        char[] text = ("\u4C57" + BitText.packed(kind) + "\u0800\u0800" + payload).toCharArray();
        int checksum = OffsetMap.checksum(id, base, new String(text));
        text[2] = BitText.packed(checksum >>> BitText.PER_CHAR);
        text[3] = BitText.packed(checksum);
        return new String(text);
    }

    /** A map of runs, undone and done in turn; right only if the caller's runs are. */
    public static String runs(TopicPartition id, long base, long... lengths) {
        char[] payload = new char[lengths.length * 9];
        BitText.Writer writer = new BitText.Writer(payload, 0);
        long bits = 0;
        for (long length : lengths) {
            writer.gamma(length);
            bits += BitText.gammaLength(length);
        }
        writer.finish();
        return sealed(id, base, 3, new String(payload, 0, (int) BitText.chars(bits)));
    }

    /** A map of the given kind around a payload of such bits, zeros and ones as text. */
    public static String ofBits(TopicPartition id, long base, int kind, String bits) {
        String padded = bits + "0".repeat((BitText.PER_CHAR - bits.length() % BitText.PER_CHAR) % BitText.PER_CHAR);
        StringBuilder payload = new StringBuilder();
        for (int at = 0; at < padded.length(); at += BitText.PER_CHAR) {
            payload.append(BitText.packed(Integer.parseInt(padded.substring(at, at + BitText.PER_CHAR), 2)));
        }
        return sealed(id, base, kind, payload.toString());
    }

    /** The Elias gamma code of a number, zeros and ones as text. */
    public static String gamma(long positive) {
        String digits = Long.toBinaryString(positive);
        return "0".repeat(digits.length() - 1) + digits;
    }

    /** A number of 64 bits, zeros and ones as text. */
    public static String raw(long number) {
        String digits = Long.toBinaryString(number);
        return "0".repeat(Long.SIZE - digits.length()) + digits;
    }
}
