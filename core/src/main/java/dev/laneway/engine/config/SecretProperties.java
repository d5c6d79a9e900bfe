package dev.laneway.engine.config;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;

/** Which of Kafka's properties hold something that no message, log or toString may show? Stateless, thread-safe. */
public final class SecretProperties {
    private static final String HIDDEN = "[hidden]";

    /** What a property is called that Kafka does not know: a plug-in's, or one that is misspelt. */
    private static final Pattern SECRET_NAME =
            Pattern.compile("passw|passphrase|secret|credential|jaas|token|private|\\.key$|certificate");

    /** Shorter values would be found in every other word. */
    private static final int LEAST_REPLACED = 3;

    private SecretProperties() {}

    /** The value as a message may show it. */
    static Object shown(String name, Object value) {
        return isSecret(name) ? HIDDEN : value;
    }

    /** A text in which no secret of these properties stands any more. */
    public static String without(Map<String, Object> properties, String text) {
        String clean = text;
        for (Map.Entry<String, Object> property : properties.entrySet()) {
            String value = String.valueOf(property.getValue());
            if (value.length() >= LEAST_REPLACED && isSecret(property.getKey())) {
                clean = clean.replace(value, HIDDEN);
            }
        }
        // Its parser quotes the word at which it was lost, which may be part of a password.
        return clean.contains("JAAS config")
                ? "sasl.jaas.config must read like: LoginModule required username=\"...\" password=\"...\";"
                : clean;
    }

    static boolean isSecret(String name) {
        return isPassword(ConsumerConfig.configDef(), name)
                || isPassword(ProducerConfig.configDef(), name)
                || SECRET_NAME.matcher(name.toLowerCase(Locale.ROOT)).find();
    }

    private static boolean isPassword(ConfigDef definition, String name) {
        ConfigDef.ConfigKey key = definition.configKeys().get(name);
        return key != null && key.type == ConfigDef.Type.PASSWORD;
    }
}
