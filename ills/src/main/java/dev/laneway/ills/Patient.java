package dev.laneway.ills;

import dev.laneway.cli.program.Parent;
import java.util.Map;

/**
 * One member of an ill group, as a process. Its arguments are {@link Settings}: {@code kind} is {@code loop},
 * {@code streams} or {@code laneway}. It ends when its standard input ends, so that it never outlives the process that
 * has started it.
 */
public final class Patient {
    /** How long the member may take to leave its group. */
    private static final long LEAVE_MILLIS = 2_500;

    private Patient() {}

    /** A running member. */
    interface Member {
        /** Asks it to leave its group, and waits until it has. */
        void leave();
    }

    /** Runs the member until standard input ends; ends the process. */
    public static void main(String[] arguments) {
        try {
            Settings settings = Settings.parse(arguments);
            Member member = start(settings);
            System.out.println("started");
            Parent.awaitEnd(System.in);
            Thread leaving = Thread.ofPlatform().daemon().name("leave").start(member::leave);
            leaving.join(LEAVE_MILLIS);
        } catch (InterruptedException | RuntimeException failed) {
            failed.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0); // A handler that hangs must not keep the process.
    }

    private static Member start(Settings settings) {
        Handling handling = new Handling(settings);
        return switch (settings.text("kind")) {
            case "loop" -> PollLoop.start(settings, handling);
            case "streams" -> StreamsMember.start(settings, handling);
            case "laneway" -> LanewayMember.start(settings, handling);
            default ->
                throw new IllegalArgumentException(
                        "kind is " + settings.text("kind") + " but must be loop, streams or laneway");
        };
    }

    /**
     * What every kind of member gives to its consumer. Fetches are small: else a slow member has the records of one
     * partition for half a minute, and none of its others.
     */
    static Map<String, Object> consumer(Settings settings) {
        Map<String, Object> properties = new java.util.HashMap<>(Map.of(
                "bootstrap.servers", settings.text("bootstrap"),
                "group.id", settings.text("group"),
                "client.id", settings.text("client"),
                "auto.offset.reset", "earliest",
                "enable.auto.commit", "false",
                "max.poll.records", "100",
                "max.partition.fetch.bytes", "32768",
                "reconnect.backoff.max.ms", "500"));
        properties.putAll(settings.kafka());
        return properties;
    }
}
