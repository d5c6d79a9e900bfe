package dev.laneway.engine;

import dev.laneway.WhenMapIsFull;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.HealthConditions;
import java.util.function.IntSupplier;

/** Map rooms for tests that do not ask what health says. */
final class MapRooms {
    private MapRooms() {}

    static MapRoom guarding(IntSupplier limit, int maxPollRecords) {
        return new MapRoom(
                limit, maxPollRecords, WhenMapIsFull.STOP_INTAKE, true, new HealthConditions(new HandHost()));
    }
}
