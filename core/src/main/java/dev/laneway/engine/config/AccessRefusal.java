package dev.laneway.engine.config;

import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/** The broker let somebody not in, or not do something: which right or setting is missing? Immutable. */
public record AccessRefusal(ApiException cause) {
    private static final String OR_WAIT = ", or set retryAuthorization to wait for that";
    private static final int MOST_CAUSES = 10;

    /** What a failure says of that, itself or by a cause; null when it is something else. */
    public static @Nullable AccessRefusal of(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
            if (cause instanceof AuthenticationException || cause instanceof AuthorizationException) {
                return new AccessRefusal((ApiException) cause);
            }
            cause = cause.getCause();
        }
        return null;
    }

    /** What was refused when records were sent, and what mends it; to be put into a sentence. */
    public String whileSending() {
        return told("WRITE", "the topic") + OR_WAIT;
    }

    /**
     * What a consumer was refused, and what mends it; to be put into a sentence.
     *
     * @param topics what it wants to read, for brokers that do not say which topic they mean
     */
    public String whileReading(String topics) {
        return told("READ", topics) + OR_WAIT;
    }

    /** As {@link #whileReading} or {@link #whileSending}: a transaction reads some topics and writes to others. */
    public String told(TopicSelection read) {
        return whileWaiting(read) + OR_WAIT;
    }

    /** The same, where it is tried again. */
    public String whileWaiting(TopicSelection read) {
        return cause instanceof TopicAuthorizationException topics
                        && !topics.unauthorizedTopics().isEmpty()
                        && topics.unauthorizedTopics().stream().noneMatch(read::reads)
                ? told("WRITE", "the topic")
                : told("READ", read.described());
    }

    private String told(String right, String unnamed) {
        return switch (cause) {
            case GroupAuthorizationException group ->
                "the user may not READ " + (group.groupId() == null ? "the group" : "group " + group.groupId())
                        + ": grant it";
            case TopicAuthorizationException topics ->
                "the user may not " + right + " "
                        + (topics.unauthorizedTopics().isEmpty() ? unnamed : named(topics.unauthorizedTopics()))
                        + ": grant it";
            case ClusterAuthorizationException cluster
            when right.equals("WRITE") ->
                "the user may WRITE no topic at all, so that the producer gets no id: grant it";
            case SaslAuthenticationException login ->
                "the broker refused the login (" + login.getMessage()
                        + "): mend sasl.jaas.config and sasl.mechanism, or the user on the brokers";
            case SslAuthenticationException handshake ->
                "client and broker do not trust each other's certificates (" + reason(handshake)
                        + "): mend ssl.truststore and, if the brokers ask for a certificate, ssl.keystore";
            default -> "the broker refused access (" + cause.getMessage() + "): mend the credentials or the ACLs";
        };
    }

    private static String named(Set<String> topics) {
        return (topics.size() == 1 ? "topic " : "topics ") + String.join(", ", new TreeSet<>(topics));
    }

    /** The TLS library's own reason stands in the last cause. */
    private static String reason(SslAuthenticationException handshake) {
        Throwable last = handshake;
        for (int i = 0; i < MOST_CAUSES && last.getCause() != null; i++) {
            last = last.getCause();
        }
        return String.valueOf(last.getMessage());
    }
}
