package dev.laneway.engine;

/** What a simulated run is about. The seed decides, so that one number replays everything. */
enum SimTheme {
    /** One member and a broker that is sometimes slow. */
    STEADY;

    static SimTheme of(long seed) {
        return values()[(int) Math.floorMod(seed, (long) values().length)];
    }
}
