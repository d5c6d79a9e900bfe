package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What the disks of one process do, against what they may. A disk's own caps and its machine's are not observable: the
 * lowest of those that were given counts.
 */
record DiskLoad(Instance instance) {
    static final String OPERATIONS_CAP = "disk.iops.cap";
    static final String BYTES_CAP = "disk.bytes.cap";

    /** Reads and writes in a second. */
    OptionalDouble operations() {
        return sum("reads-total", "writes-total");
    }

    /** Bytes read and written in a second. */
    OptionalDouble bytes() {
        return sum("read-bytes-total", "written-bytes-total");
    }

    private OptionalDouble sum(String first, String second) {
        OptionalDouble a = instance.rate(Groups.DISK, first);
        OptionalDouble b = instance.rate(Groups.DISK, second);
        return a.isEmpty() || b.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(a.getAsDouble() + b.getAsDouble());
    }

    /** The lowest of the caps given with a name. */
    OptionalDouble cap(String name) {
        return caps(name).stream()
                .flatMap(text -> number(text).stream())
                .mapToDouble(cap -> cap)
                .min();
    }

    /** A cap that is no number above zero. */
    Optional<String> wrongCap() {
        for (String name : List.of(OPERATIONS_CAP, BYTES_CAP)) {
            Optional<String> wrong = caps(name).stream()
                    .filter(text -> number(text).isEmpty())
                    .findFirst()
                    .map(text -> name + " is " + text);
            if (wrong.isPresent()) {
                return wrong;
            }
        }
        return Optional.empty();
    }

    private List<String> caps(String name) {
        return instance.seen().texts(Groups.CONFIG, name).stream()
                .map(Observations.Text::last)
                .toList();
    }

    private static Optional<Double> number(String text) {
        try {
            double number = Double.parseDouble(text.strip());
            return number > 0 && Double.isFinite(number) ? Optional.of(number) : Optional.empty();
        } catch (NumberFormatException noNumber) {
            return Optional.empty();
        }
    }

    /** The higher of the shares of the caps that are used; empty without caps. */
    OptionalDouble capShare() {
        OptionalDouble operations = share(operations(), cap(OPERATIONS_CAP));
        OptionalDouble bytes = share(bytes(), cap(BYTES_CAP));
        return operations.isEmpty() ? bytes : OptionalDouble.of(Math.max(operations.getAsDouble(), bytes.orElse(0)));
    }

    private static OptionalDouble share(OptionalDouble used, OptionalDouble cap) {
        return used.isEmpty() || cap.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(used.getAsDouble() / cap.getAsDouble());
    }

    List<String> evidence() {
        List<String> lines = new ArrayList<>();
        for (String name :
                List.of("reads-total", "writes-total", "read-bytes-total", "written-bytes-total", "busy-ms-total")) {
            instance.all(Groups.DISK, name).stream()
                    .filter((Series series) -> series.growth() > 0)
                    .forEach(series -> lines.add(Figures.growth(series)));
        }
        cap(OPERATIONS_CAP).ifPresent(cap -> lines.add(OPERATIONS_CAP + " = " + Figures.number(cap)));
        cap(BYTES_CAP).ifPresent(cap -> lines.add(BYTES_CAP + " = " + Figures.number(cap)));
        return lines;
    }
}
