package dev.laneway.ills;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All illnesses that can be staged. */
public final class Illnesses {
    private static final List<Illness> ALL = Stream.of(
                    RecordIlls.ALL, CapacityIlls.ALL, MembershipIlls.ALL, MemoryIlls.ALL, KafkaIlls.ALL)
            .flatMap(List::stream)
            .toList();

    private Illnesses() {}

    /** All of them. */
    public static List<Illness> all() {
        return ALL;
    }

    /** The one with a name. */
    public static Optional<Illness> named(String name) {
        return ALL.stream().filter(illness -> illness.name().equals(name)).findFirst();
    }
}
