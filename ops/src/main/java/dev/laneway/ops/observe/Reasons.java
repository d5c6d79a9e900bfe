package dev.laneway.ops.observe;

/** Says why something failed, in a few words. */
final class Reasons {
    private static final int LONGEST = 200;
    private static final int DEEPEST = 20;

    private Reasons() {}

    /** The innermost cause's message, on one line; its class if it has none. */
    static String of(Throwable failure) {
        Throwable innermost = failure;
        for (int i = 0; i < DEEPEST && innermost.getCause() != null; i++) {
            innermost = innermost.getCause();
        }
        String message = innermost.getMessage();
        if (message == null || message.isBlank()) {
            return innermost.getClass().getSimpleName();
        }
        return shortened(message);
    }

    /** A foreign text on one line, with nothing that a terminal would obey, and cut where it is long. */
    static String shortened(String text) {
        String line = text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "...";
    }
}
