package dev.laneway.testkit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The security of an embedded cluster: TLS, logins and access rules of its clients. Immutable.
 *
 * @param users names and passwords
 * @param acls whether a client may do only what it was granted
 */
record Security(@Nullable Tls tls, @Nullable SaslMechanism sasl, Map<String, String> users, boolean acls) {

    /** A name is used in certificates, logins and rules: only characters that are special in none of them. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    Security {
        users = Map.copyOf(users);
        if (acls && !identifies(tls, sasl)) {
            throw new IllegalArgumentException(
                    "acls(): clients that nobody knows have no rights to tell apart; add sasl(...) or tls(MUTUAL)");
        }
        if (!users.isEmpty() && !identifies(tls, sasl)) {
            throw new IllegalArgumentException(
                    "user(" + users.keySet().iterator().next()
                            + ", ...): clients need not say who they are; add sasl(...) or tls(MUTUAL)");
        }
        if (users.isEmpty() && identifies(tls, sasl)) {
            throw new IllegalArgumentException(
                    "sasl(...), tls(MUTUAL): nobody could connect; add user(name, password)");
        }
    }

    static void checkUser(String name, String password) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("user(" + name + ", ...): a name has 1 to 64 letters, digits, dots,"
                    + " underscores and hyphens, and starts with a letter or digit");
        }
        if (password.isEmpty()) {
            throw new IllegalArgumentException("user(" + name + ", ...): the password must not be empty");
        }
    }

    private static boolean identifies(@Nullable Tls tls, @Nullable SaslMechanism sasl) {
        return sasl != null || tls == Tls.MUTUAL;
    }

    /** Whether there is any security. */
    boolean isOn() {
        return tls != null || sasl != null;
    }

    /** The protocol of the listeners for clients. */
    String protocol() {
        if (sasl == null) {
            return tls == null ? "PLAINTEXT" : "SSL";
        }
        return tls == null ? "SASL_PLAINTEXT" : "SASL_SSL";
    }

    /** Properties of the brokers and of the controller, which decides about rights too. */
    Map<String, String> server(@Nullable Certificates certificates, List<String> listeners) {
        Map<String, String> properties = new HashMap<>();
        if (certificates != null) {
            properties.put("ssl.keystore.type", "PEM");
            properties.put(
                    "ssl.keystore.certificate.chain", certificates.server().chainPem());
            properties.put("ssl.keystore.key", certificates.server().keyPem());
            properties.put("ssl.truststore.type", "PEM");
            properties.put("ssl.truststore.certificates", certificates.authorityPem());
            properties.put("ssl.client.auth", tls == Tls.MUTUAL ? "required" : "none");
            properties.put("ssl.principal.mapping.rules", "RULE:^CN=([^,]*).*$/$1/,DEFAULT");
        }
        if (sasl != null) {
            properties.put("sasl.enabled.mechanisms", sasl.kafkaName());
            for (String listener : listeners) {
                properties.put(
                        "listener.name." + listener.toLowerCase(java.util.Locale.ROOT) + "."
                                + sasl.kafkaName().toLowerCase(java.util.Locale.ROOT) + ".sasl.jaas.config",
                        serverLogin(sasl));
            }
        }
        if (acls) {
            properties.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
            // The brokers and the cluster's own clients use a listener without logins.
            properties.put("super.users", "User:ANONYMOUS");
        }
        return properties;
    }

    /** PLAIN has its users here, SCRAM in the cluster's metadata. */
    private String serverLogin(SaslMechanism mechanism) {
        StringBuilder login = new StringBuilder(mechanism.loginModule()).append(" required");
        if (!mechanism.isScram()) {
            new TreeMap<>(users)
                    .forEach((name, password) ->
                            login.append(" \"user_").append(name).append("\"=").append(quoted(password)));
        }
        return login.append(';').toString();
    }

    /** Properties of a client; the user is null if clients need not log in. */
    Map<String, String> client(@Nullable Certificates certificates, @Nullable String user, StoreForm form) {
        Map<String, String> properties = new HashMap<>();
        properties.put("security.protocol", protocol());
        if (certificates != null) {
            trust(properties, certificates, user, form);
            if (tls == Tls.MUTUAL && user != null) {
                show(properties, certificates, user, form);
            }
        }
        if (sasl != null && user != null) {
            properties.put("sasl.mechanism", sasl.kafkaName());
            properties.put(
                    "sasl.jaas.config",
                    sasl.loginModule() + " required username=" + quoted(user) + " password=" + quoted(password(user))
                            + ";");
        }
        return properties;
    }

    private void trust(
            Map<String, String> properties, Certificates certificates, @Nullable String user, StoreForm form) {
        properties.put("ssl.truststore.type", form.name());
        if (form == StoreForm.PEM) {
            properties.put("ssl.truststore.certificates", certificates.authorityPem());
        } else {
            // Nothing in it is secret, but both formats need a password.
            String password = user == null ? "changeit" : password(user);
            properties.put(
                    "ssl.truststore.location",
                    certificates.trustStore(form, password).toString());
            properties.put("ssl.truststore.password", password);
        }
    }

    private void show(Map<String, String> properties, Certificates certificates, String user, StoreForm form) {
        properties.put("ssl.keystore.type", form.name());
        if (form == StoreForm.PEM) {
            properties.put(
                    "ssl.keystore.certificate.chain", certificates.user(user).chainPem());
            properties.put("ssl.keystore.key", certificates.user(user).keyPem());
        } else {
            properties.put(
                    "ssl.keystore.location",
                    certificates.keyStore(user, form, password(user)).toString());
            properties.put("ssl.keystore.password", password(user));
            properties.put("ssl.key.password", password(user));
        }
    }

    String password(String user) {
        String password = users.get(user);
        if (password == null) {
            throw new IllegalArgumentException(
                    "user " + user + " is unknown; give it to the builder with user(" + user + ", password)");
        }
        return password;
    }

    /** Quoted for a JAAS configuration. */
    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Without the passwords. */
    @Override
    public String toString() {
        return "Security[tls=" + tls + ", sasl=" + sasl + ", users=" + users.keySet() + ", acls=" + acls + "]";
    }
}
