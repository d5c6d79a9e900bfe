package dev.laneway.ops.observe;

/** A running Laneway as JMX shows it, see {@link LanewayBean}. Thread-safe; not to be implemented by users. */
public interface LanewayMXBean {
    /** All figures of one moment. Never waits. */
    LanewayFigures getFigures();
}
