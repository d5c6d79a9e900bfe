package dev.laneway;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a record whose attempt failed: it is tried again, then dead-lettered or skipped, or the consumer
 * stops. Immutable.
 *
 * <p>The default, {@link #DEFAULT}, tries for ever, 100 ms to 30 s apart, and stops on what no attempt can fix (a
 * record that cannot be deserialised). While a record waits for its next attempt, its lane waits too, and no thread
 * does.
 *
 * <p><b>Records that cannot be deserialised</b> are tried again if the failure may pass: Kafka's
 * {@code RetriableException}, {@code SocketException}, {@code UnknownHostException}, {@code HttpTimeoutException},
 * {@code InterruptedIOException}, {@code TimeoutException}, interrupts and {@code OutOfMemoryError}, themselves or as a
 * cause. Any other failure means that the bytes are wrong, and no second attempt is made. But if 20 records of a topic
 * in a row cannot be read, they are neither skipped nor dead-lettered: they are read again, up to 5 s apart, until one
 * can be read, and health is DEGRADED. A rule for {@link RecordDeserializationException} itself, see {@link #on},
 * replaces all of this.
 */
public final class FailurePolicy {
    /** Tries for ever with a back-off from 100 ms to 30 s; a record that cannot be deserialised stops the consumer. */
    public static final FailurePolicy DEFAULT =
            retry(Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(30)));

    private final @Nullable Backoff backoff;
    private final int maxAttempts;
    private final Last last;
    private final List<Rule> rules;
    private final Function<? super Throwable, Optional<Duration>> delay;

    private FailurePolicy(@Nullable Backoff backoff, int maxAttempts, Last last, List<Rule> rules) {
        this(backoff, maxAttempts, last, rules, failure -> Optional.empty());
    }

    private FailurePolicy(
            @Nullable Backoff backoff,
            int maxAttempts,
            Last last,
            List<Rule> rules,
            Function<? super Throwable, Optional<Duration>> delay) {
        this.backoff = backoff;
        this.maxAttempts = maxAttempts;
        this.last = last;
        this.rules = List.copyOf(rules);
        this.delay = delay;
    }

    /** What follows the last attempt. Immutable. */
    public sealed interface Last {
        /** The consumer stops with the failure; the record is read again after a restart. */
        record Stop() implements Last {}

        /** The record counts as done. */
        record Skip() implements Last {}

        /** The record's bytes go to a topic; it is done when the broker has acknowledged them. */
        record DeadLetter(DeadLetterTopic topic) implements Last {
            /** Always to the same topic. */
            public DeadLetter(String topic) {
                this(new DeadLetterTopic.Fixed(topic));
            }
        }
    }

    private record Rule(Class<? extends Throwable> type, FailurePolicy policy) {}

    /** Tries for ever. What no attempt can fix stops the consumer, unless {@code then...} says otherwise. */
    public static FailurePolicy retry(Backoff backoff) {
        return new FailurePolicy(backoff, Integer.MAX_VALUE, new Last.Stop(), List.of());
    }

    /**
     * Makes at most {@code maxAttempts} attempts, the first one included, then stops the consumer, unless
     * {@code then...} says otherwise.
     */
    public static FailurePolicy retry(Backoff backoff, int maxAttempts) {
        if (maxAttempts < 1) {
            throw new ConfigurationException(
                    "maxAttempts", maxAttempts, "must be at least 1", "1 makes no second attempt");
        }
        return new FailurePolicy(backoff, maxAttempts, new Last.Stop(), List.of());
    }

    /** Makes one attempt, then stops the consumer. */
    public static FailurePolicy stop() {
        return new FailurePolicy(null, 1, new Last.Stop(), List.of());
    }

    /** Makes one attempt, then counts the record as done. */
    public static FailurePolicy skip() {
        return stop().thenSkip();
    }

    /** Makes one attempt, then sends the record to the topic. */
    public static FailurePolicy deadLetter(String topic) {
        return stop().thenDeadLetter(topic);
    }

    /** Makes one attempt, then sends the record to the topic that {@code topic} returns. */
    public static FailurePolicy deadLetter(DeadLetterTopic topic) {
        return stop().thenDeadLetter(topic);
    }

    /** After the last attempt the consumer stops. */
    public FailurePolicy thenStop() {
        return then(new Last.Stop());
    }

    private FailurePolicy then(Last changed) {
        return new FailurePolicy(backoff, maxAttempts, changed, rules, delay);
    }

    /** After the last attempt the record counts as done. */
    public FailurePolicy thenSkip() {
        return then(new Last.Skip());
    }

    /** After the last attempt the record goes to the topic, with the headers of {@link DeadLetterHeaders}. */
    public FailurePolicy thenDeadLetter(String topic) {
        if (topic.isBlank()) {
            throw new ConfigurationException(
                    "thenDeadLetter", topic, "must name a topic", "give the dead-letter topic's name");
        }
        return then(new Last.DeadLetter(topic));
    }

    /**
     * As {@link #thenDeadLetter(String)}, to a topic that depends on record and failure: {@code (record, failure) ->
     * record.topic() + ".dlq"}.
     */
    public FailurePolicy thenDeadLetter(DeadLetterTopic topic) {
        return then(new Last.DeadLetter(topic));
    }

    /**
     * Takes the delay before the next attempt from the failure, such as HTTP's {@code Retry-After}; if the function
     * returns nothing, the back-off counts. Applies only to failures that this policy itself handles, not those of
     * {@link #on}. A delay that is negative or longer than 100 years, and an exception, are logged and ignored. The
     * function is called by many workers at once.
     */
    public FailurePolicy retryAfter(Function<? super Throwable, Optional<Duration>> delayOfFailure) {
        return new FailurePolicy(backoff, maxAttempts, last, rules, delayOfFailure);
    }

    /**
     * Another policy for failures of a type, or caused by one. The first match counts, in the order of the calls; the
     * failure itself is checked before its causes. Rules of {@code policy} itself are ignored.
     */
    public FailurePolicy on(Class<? extends Throwable> type, FailurePolicy policy) {
        List<Rule> more = new ArrayList<>(rules);
        more.add(new Rule(type, policy));
        return new FailurePolicy(backoff, maxAttempts, last, more, delay);
    }

    /** The policy for a failure: that of the first matching {@link #on}, else this one. */
    public FailurePolicy forFailure(Throwable failure) {
        Rule rule = ruleFor(failure);
        return rule == null ? this : rule.policy;
    }

    private @Nullable Rule ruleFor(Throwable failure) {
        int depth = 0;
        for (Throwable cause = failure; cause != null && depth < 20; cause = cause.getCause(), depth++) {
            for (Rule rule : rules) {
                if (rule.type.isInstance(cause)) {
                    return rule;
                }
            }
        }
        return null;
    }

    /** Whether {@link #on} has a rule for the failure's own class, not only for a supertype or a cause. */
    public boolean names(Throwable failure) {
        Rule rule = ruleFor(failure);
        return rule != null && rule.type == failure.getClass();
    }

    /**
     * The delay that the function of {@link #retryAfter} returns for the failure; empty if it returns none. Throws what
     * the function throws.
     *
     * @throws IllegalArgumentException if it is negative or longer than 100 years
     */
    public Optional<Duration> delayAfter(Throwable failure) {
        Optional<Duration> given = delay.apply(failure);
        if (given.isPresent() && (given.get().isNegative() || given.get().compareTo(Checks.LONGEST) > 0)) {
            throw new IllegalArgumentException(
                    "retryAfter gave " + given.get() + " but must give from zero to " + Checks.LONGEST);
        }
        return given;
    }

    /** The back-off, or empty when there is only one attempt. */
    public Optional<Backoff> backoff() {
        return Optional.ofNullable(backoff);
    }

    /** How many attempts are made, the first one included; {@link Integer#MAX_VALUE} for ever. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** What follows the last attempt. */
    public Last last() {
        return last;
    }

    /** Whether any part of the policy sends records to a dead-letter topic, and so needs a producer. */
    public boolean deadLetters() {
        return last instanceof Last.DeadLetter || rules.stream().anyMatch(rule -> rule.policy.deadLetters());
    }

    /** The dead-letter topics that any part of the policy names; not those that a function chooses. */
    public Set<String> deadLetterTopics() {
        Set<String> topics = new TreeSet<>();
        if (last instanceof Last.DeadLetter(DeadLetterTopic.Fixed(String topic))) {
            topics.add(topic);
        }
        rules.forEach(rule -> topics.addAll(rule.policy.deadLetterTopics()));
        return topics;
    }

    @Override
    public String toString() {
        String attempts = maxAttempts == Integer.MAX_VALUE ? "for ever" : "at most " + maxAttempts + " attempts";
        return attempts + ", " + backoff + ", then " + last + (rules.isEmpty() ? "" : ", rules " + rules);
    }
}
