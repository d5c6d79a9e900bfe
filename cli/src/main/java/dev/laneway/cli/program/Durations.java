package dev.laneway.cli.program;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Durations as options write them: a number and a unit, such as 500us, 10ms, 1.5s, 2m or 1h; a bare 0 needs no unit.
 * Immutable.
 */
public final class Durations implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(us|ms|s|m|h)");
    /** As the library has it; less than the clock counts, so that a sum of both does not overflow. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private static final BigDecimal LONGEST_NANOS = BigDecimal.valueOf(LONGEST.toNanos());

    @Override
    public Duration convert(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new TypeConversionException("must be a number and a unit: write it like 500us, 10ms, 1.5s, 2m or 1h");
        }
        BigDecimal nanos = new BigDecimal(form.group(1)).multiply(BigDecimal.valueOf(nanosOf(form.group(2))));
        if (nanos.compareTo(LONGEST_NANOS) > 0) {
            throw new TypeConversionException("must be at most 876000h: 100 years are as good as for ever");
        }
        return Duration.ofNanos(nanos.longValue());
    }

    private static long nanosOf(String unit) {
        return switch (unit) {
            case "us" -> 1_000L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> throw new IllegalArgumentException("no unit is called " + unit);
        };
    }
}
