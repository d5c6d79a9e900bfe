package dev.laneway.testkit;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/**
 * How clients connect to a secured {@link EmbeddedKafka}, and what each user may do.
 *
 * <pre>{@code
 * try (EmbeddedKafka kafka = EmbeddedKafka.builder()
 *         .tls(Tls.SERVER)
 *         .sasl(SaslMechanism.SCRAM_SHA_512)
 *         .user("shop", "a password")
 *         .acls()
 *         .start()) {
 *     kafka.security().grant("shop", AclOperation.READ, ResourceType.TOPIC, "orders");
 *     kafka.security().grant("shop", AclOperation.READ, ResourceType.GROUP, "shipping");
 *     runTheApplication(kafka.bootstrapServers(), kafka.security().clientProperties("shop"));
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class ClusterSecurity {

    private static final int SCRAM_ITERATIONS = 4096;

    private final Security security;
    private final @Nullable Certificates certificates;
    private final List<BrokerNode> brokers;
    private final Supplier<Admin> admin;

    ClusterSecurity(
            Security security, @Nullable Certificates certificates, List<BrokerNode> brokers, Supplier<Admin> admin) {
        this.security = security;
        this.certificates = certificates;
        this.brokers = brokers;
        this.admin = admin;
    }

    /** Adds the users to the cluster's metadata, where the mechanism needs that. */
    void addUsers() {
        SaslMechanism sasl = security.sasl();
        if (sasl == null || !sasl.isScram()) {
            return;
        }
        ScramMechanism mechanism = ScramMechanism.fromMechanismName(sasl.kafkaName());
        List<UserScramCredentialAlteration> users = security.users().entrySet().stream()
                .<UserScramCredentialAlteration>map(user -> new UserScramCredentialUpsertion(
                        user.getKey(), new ScramCredentialInfo(mechanism, SCRAM_ITERATIONS), user.getValue()))
                .toList();
        Await.get("adding users", admin.get().alterUserScramCredentials(users).all());
        Await.until(
                "adding users",
                Await.CALL_LIMIT,
                () -> brokers.stream()
                        .filter(broker -> broker.isRunning()
                                && !broker.knows(sasl, security.users().keySet()))
                        .findFirst()
                        .map(broker -> "node " + broker.id() + " does not know them all"));
    }

    /**
     * Properties of a client without a name: those of TLS, without a client certificate. Keys and certificates are
     * text.
     */
    public Map<String, String> clientProperties() {
        return clientProperties(StoreForm.PEM);
    }

    /** As {@link #clientProperties()}, with the certificates in another form. */
    public Map<String, String> clientProperties(StoreForm form) {
        return security.client(certificates, null, form);
    }

    /**
     * Properties of a user's clients: security protocol, certificates and login. Keys and certificates are text.
     *
     * @throws IllegalArgumentException if the builder has no such user
     */
    public Map<String, String> clientProperties(String user) {
        return clientProperties(user, StoreForm.PEM);
    }

    /**
     * As {@link #clientProperties(String)}, with keys and certificates in another form. Files are protected by the
     * user's password and are gone when the cluster is closed.
     */
    public Map<String, String> clientProperties(String user, StoreForm form) {
        var _ = security.password(user);
        return security.client(certificates, user, form);
    }

    /**
     * Grants a right to a user, and waits until every running broker knows it. READ and WRITE include DESCRIBE, as
     * always in Kafka.
     *
     * @param name the resource's name; {@code *} means all of its type
     * @throws IllegalStateException unless the cluster was built with {@link EmbeddedKafkaBuilder#acls()}
     */
    public void grant(String user, AclOperation operation, ResourceType type, String name) {
        AclBinding rule = rule(user, operation, type, name);
        Await.get("granting " + rule, admin.get().createAcls(List.of(rule)).all());
        Await.until("granting " + rule, Await.CALL_LIMIT, () -> knownAs(rule, true));
    }

    /** Withdraws a granted right, and waits until every running broker knows it. */
    public void withdraw(String user, AclOperation operation, ResourceType type, String name) {
        AclBinding rule = rule(user, operation, type, name);
        Await.get(
                "withdrawing " + rule,
                admin.get().deleteAcls(List.of(rule.toFilter())).all());
        Await.until("withdrawing " + rule, Await.CALL_LIMIT, () -> knownAs(rule, false));
    }

    private AclBinding rule(String user, AclOperation operation, ResourceType type, String name) {
        if (!security.acls()) {
            throw new IllegalStateException("everybody may do everything; call acls() on the builder");
        }
        var _ = security.password(user);
        return new AclBinding(
                new ResourcePattern(type, name, PatternType.LITERAL),
                new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
    }

    private Optional<String> knownAs(AclBinding rule, boolean granted) {
        return brokers.stream()
                .filter(broker -> broker.isRunning() && broker.hasRule(rule) != granted)
                .findFirst()
                .map(broker -> "node " + broker.id() + " does not know yet");
    }
}
