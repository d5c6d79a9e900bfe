package dev.laneway.engine.track;

import dev.laneway.DeadLetterHeaders;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * A record that was given up, as it is sent away. What is ours in it is cut, so that a record which the broker took
 * once seldom fails to fit again; if it does not fit, see {@link #smaller}. Immutable.
 *
 * @param attempts how often the record was tried
 * @param reason uncut
 * @param cause what the last attempt threw; null when the handler asked for the dead letter
 * @param redirected whether another topic has refused it before
 */
public record DeadLetter(
        String topic,
        ConsumerRecord<byte[], byte[]> record,
        int attempts,
        String reason,
        @Nullable Throwable cause,
        Size size,
        boolean redirected) {
    /** How much of it is sent. */
    public enum Size {
        /** The record, and all that is known of its failure. */
        WHOLE,
        /** The record, without the stack and the deepest cause, and with little of the reason. */
        BRIEF,
        /** Where the record stands, and why: its value is left out, and so are key and headers if they are large. */
        WITHOUT_VALUE
    }

    private static final int MOST_CAUSES = 20;
    private static final int SHORT_CHARS = 200;
    private static final int NUMBER_CHARS = 20;
    private static final int STACK_CHARS = 4_000;
    private static final int REASON_CHARS = 1_000;
    /** Key and headers of a letter without value are kept up to this size. */
    private static final int KEPT_BYTES = 16 * 1_024;

    public static DeadLetter of(
            String topic,
            ConsumerRecord<byte[], byte[]> record,
            int attempts,
            String reason,
            @Nullable Throwable cause) {
        return new DeadLetter(topic, record, attempts, reason, cause, Size.WHOLE, false);
    }

    /** The same with less in it; null when there is nothing left to leave out. */
    public @Nullable DeadLetter smaller() {
        return switch (size) {
            case WHOLE -> new DeadLetter(topic, record, attempts, reason, cause, Size.BRIEF, redirected);
            case BRIEF -> new DeadLetter(topic, record, attempts, reason, cause, Size.WITHOUT_VALUE, redirected);
            case WITHOUT_VALUE -> null;
        };
    }

    /** The same for another topic, since this one refuses it. */
    public DeadLetter redirect(String other) {
        return new DeadLetter(other, record, attempts, reason, cause, Size.WHOLE, true);
    }

    /** What is sent. */
    ProducerRecord<byte[], byte[]> toRecord(@Nullable String group) {
        boolean whole = size == Size.WHOLE;
        boolean valueless = size == Size.WITHOUT_VALUE;
        boolean bare = valueless && bytes(record.key()) + bytes(record.headers()) > KEPT_BYTES;
        Headers headers = new RecordHeaders();
        if (!bare) {
            record.headers().forEach(headers::add);
        }
        add(headers, DeadLetterHeaders.TOPIC, record.topic());
        add(headers, DeadLetterHeaders.PARTITION, Integer.toString(record.partition()));
        add(headers, DeadLetterHeaders.OFFSET, Long.toString(record.offset()));
        add(headers, DeadLetterHeaders.TIMESTAMP, Long.toString(record.timestamp()));
        add(headers, DeadLetterHeaders.ATTEMPTS, Integer.toString(attempts));
        add(headers, DeadLetterHeaders.REASON, cut(reason, whole ? REASON_CHARS : SHORT_CHARS));
        if (cause != null) {
            add(headers, DeadLetterHeaders.EXCEPTION, cause.getClass().getName());
            Throwable root = root(cause);
            if (whole && !root.equals(cause)) {
                add(headers, DeadLetterHeaders.CAUSE, reason(root, REASON_CHARS));
            }
            if (whole) {
                add(headers, DeadLetterHeaders.STACK, stack(cause));
            }
        }
        if (group != null) {
            add(headers, DeadLetterHeaders.GROUP, group);
        }
        if (valueless) {
            add(headers, DeadLetterHeaders.OMITTED, bare ? "key, value, headers" : "value");
        }
        return new ProducerRecord<>(
                topic, null, null, bare ? null : record.key(), valueless ? null : record.value(), headers);
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    private static int bytes(byte @Nullable [] array) {
        return array == null ? 0 : array.length;
    }

    private static int bytes(Headers headers) {
        int bytes = 0;
        for (Header header : headers) {
            bytes += header.key().length() + bytes(header.value());
        }
        return bytes;
    }

    /** A failure's class and message in one line of at most so many characters; whatever the message is. */
    public static String reason(Throwable failure, int most) {
        return cut(failure.getClass().getName() + ": " + message(failure), most);
    }

    /** A failure's message; its class where it has none. Exceptions are user code, too. */
    public static String message(Throwable failure) {
        try {
            String message = failure.getMessage();
            return message == null ? failure.getClass().getName() : message;
        } catch (Throwable broken) {
            return failure.getClass().getName() + ", whose message failed with " + broken.getClass();
        }
    }

    /** At most so many characters, the last of them saying how many there were. */
    public static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = most - NUMBER_CHARS;
        if (Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end) + "... of " + text.length();
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        for (int i = 0; i < MOST_CAUSES && root.getCause() != null; i++) {
            root = root.getCause();
        }
        return root;
    }

    /** Not by printStackTrace: messages may be of any length. */
    private static String stack(Throwable failure) {
        StringBuilder stack = new StringBuilder();
        Throwable at = failure;
        for (int i = 0; i < MOST_CAUSES && at != null && stack.length() <= STACK_CHARS; i++) {
            stack.append(i == 0 ? "" : "Caused by: ").append(reason(at, SHORT_CHARS));
            for (StackTraceElement frame : at.getStackTrace()) {
                if (stack.length() > STACK_CHARS) {
                    break;
                }
                stack.append("\n\tat ").append(frame);
            }
            stack.append('\n');
            at = at.getCause();
        }
        return cut(stack.toString(), STACK_CHARS);
    }
}
