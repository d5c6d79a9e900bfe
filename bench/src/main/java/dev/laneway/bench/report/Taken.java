package dev.laneway.bench.report;

import dev.laneway.bench.scenario.Case;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The sources, the time and the setting of a row. Rows of one report may be of different days. Immutable.
 *
 * @param commit as {@link Machine#commit} has it
 * @param at the second, in ISO 8601 and UTC
 * @param setting a checksum over the arm's parameters: a row of another setting is another measurement
 */
public record Taken(String commit, String at, String setting) {
    /** Not known. */
    static final Taken UNKNOWN = new Taken("", "", "");

    /** The checksum of a case. */
    public static String setting(Case of) {
        CRC32C crc = new CRC32C();
        String text = of.workload() + of.topic() + new TreeMap<>(of.params());
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", crc.getValue());
    }
}
