package dev.laneway.dashboard;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Bytes of records as people read them; they are others', and may be anything. Pure functions. */
final class RecordText {
    private RecordText() {}

    /**
     * As text if they are UTF-8 without signs that nobody sees, else as hexadecimal digits; cut to so many characters.
     */
    static String of(byte[] bytes, int most) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException noText) {
            text = hexadecimal(bytes, most);
        }
        if (text.codePoints().anyMatch(RecordText::isUnseen)) {
            text = hexadecimal(bytes, most);
        }
        return text.length() <= most ? text : text.substring(0, most - 1) + "~";
    }

    /** Those that move what stands beside them, too. */
    private static boolean isUnseen(int c) {
        int type = Character.getType(c);
        return (type == Character.CONTROL && c != '\n' && c != '\t')
                || type == Character.FORMAT
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || type == Character.UNASSIGNED;
    }

    private static String hexadecimal(byte[] bytes, int most) {
        return "0x" + HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, most));
    }
}
