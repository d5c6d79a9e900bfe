package dev.laneway.testkit;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Options of an {@link EmbeddedKafka}. Each has a default; {@link #start()} starts a cluster with the present options,
 * and the builder may then be used for another one.
 *
 * <p>Not thread-safe.
 */
public final class EmbeddedKafkaBuilder {

    private static final int MAX_NODES = 3;
    private static final int MAX_PORT = 65_535;
    private static final String PROTOCOLS = "listener.security.protocol.map";

    private final Map<String, String> serverProperties = new HashMap<>();
    private final Map<String, String> clientProperties = new HashMap<>();
    private final Map<String, String> users = new LinkedHashMap<>();
    private final Set<String> networks = new LinkedHashSet<>();
    private int nodes = 1;
    private int port;
    private @Nullable Tls tls;
    private @Nullable SaslMechanism sasl;
    private boolean acls;
    private @Nullable Path directory;

    EmbeddedKafkaBuilder() {}

    /** The options of one cluster, checked. */
    record Options(
            int nodes,
            int port,
            @Nullable Path directory,
            Map<String, String> serverProperties,
            Map<String, String> clientProperties,
            Security security,
            List<String> networks) {

        Options {
            networks = List.copyOf(networks);
            serverProperties = Map.copyOf(serverProperties);
            clientProperties = Map.copyOf(clientProperties);
        }
    }

    /**
     * Sets the number of brokers: 1, 2 or 3; 1 by default. Their ids start at 1. The controller is another node and not
     * counted.
     *
     * @return this
     */
    public EmbeddedKafkaBuilder nodes(int nodes) {
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException(
                    "nodes(" + nodes + "): must be 1 to " + MAX_NODES + "; 3 is enough to lose one");
        }
        this.nodes = nodes;
        return this;
    }

    /**
     * Sets the port of the first broker; the others take the ones that follow. 0, the default, gives each broker a free
     * port. All listen on 127.0.0.1.
     *
     * @return this
     */
    public EmbeddedKafkaBuilder port(int port) {
        if (port < 0 || port > MAX_PORT - MAX_NODES) {
            throw new IllegalArgumentException(
                    "port(" + port + "): must be 0 for a free port, or 1 to " + (MAX_PORT - MAX_NODES));
        }
        this.port = port;
        return this;
    }

    /**
     * Sets the directory of the data. It is created if it is missing, kept on close, and a cluster found in it is
     * started again with its topics, records and offsets. By default the cluster has a temporary directory that is
     * deleted on close.
     *
     * @return this
     */
    public EmbeddedKafkaBuilder directory(Path directory) {
        this.directory = directory;
        return this;
    }

    /**
     * Sets a server property on every broker and on the controller, as in a broker's {@code server.properties}. The
     * listener of the clients is named {@code CLIENT}, which {@code listener.security.protocol.map} and
     * {@code listener.name.client.*} may refer to.
     *
     * @return this
     * @throws IllegalArgumentException if the cluster itself sets the property, such as {@code listeners}
     */
    public EmbeddedKafkaBuilder property(String key, String value) {
        if (ServerProperties.RESERVED.contains(key)) {
            throw new IllegalArgumentException("property(" + key + ", " + value
                    + "): the embedded cluster sets this one itself; use nodes, port or directory");
        }
        serverProperties.put(key, value);
        return this;
    }

    /**
     * Sets a property of every client that the cluster makes, its own admin and producer included; needed when
     * {@link #property} asks for authentication.
     *
     * @return this
     */
    public EmbeddedKafkaBuilder clientProperty(String key, String value) {
        clientProperties.put(key, value);
        return this;
    }

    /**
     * Makes clients connect by TLS. The certificates are made when the cluster starts, by the JDK's keytool, which
     * takes about a second; {@link EmbeddedKafka#security()} has the properties of clients that trust them.
     *
     * <p>With this or {@link #sasl}, the brokers among themselves and the clients that the cluster makes use a listener
     * of their own, without TLS, login or rules.
     *
     * @return this
     */
    public EmbeddedKafkaBuilder tls(Tls kind) {
        this.tls = kind;
        return this;
    }

    /**
     * Makes clients log in with a name and a password, see {@link #user}.
     *
     * @return this
     */
    public EmbeddedKafkaBuilder sasl(SaslMechanism mechanism) {
        this.sasl = mechanism;
        return this;
    }

    /**
     * Adds a user who may connect: with the password by {@link #sasl}, with a certificate by {@link Tls#MUTUAL}, whose
     * key files the password protects. In ACLs the user is {@code User:name}.
     *
     * @param name letters, digits, dots, underscores and hyphens
     * @return this
     */
    public EmbeddedKafkaBuilder user(String name, String password) {
        Security.checkUser(name, password);
        users.put(name, password);
        return this;
    }

    /**
     * Lets users do only what they were granted, see {@link ClusterSecurity#grant}. Kafka's StandardAuthorizer decides.
     *
     * @return this
     */
    public EmbeddedKafkaBuilder acls() {
        this.acls = true;
        return this;
    }

    /**
     * Adds a network to the brokers that can be delayed, cut and reset, see {@link Network}. Add one for each client
     * that a test cuts off by itself.
     *
     * @param name letters and digits, for {@link EmbeddedKafka#network}
     * @return this
     */
    public EmbeddedKafkaBuilder network(String name) {
        if (!name.matches("[a-z][a-z0-9]{0,30}")) {
            throw new IllegalArgumentException(
                    "network(" + name + "): a name has 1 to 31 small letters and digits, and starts with a letter");
        }
        networks.add(name);
        return this;
    }

    /**
     * Starts the cluster and waits until it is ready.
     *
     * @throws IllegalStateException if Kafka's jars are too old or of two versions, if a chosen port is taken or a
     *     server cannot start; then nothing is left running
     * @throws IllegalArgumentException when the directory holds a cluster of another number of nodes, or when options
     *     contradict one another
     */
    public EmbeddedKafka start() {
        Security security = new Security(tls, sasl, users, acls);
        if (security.isOn() && serverProperties.containsKey(PROTOCOLS)) {
            throw new IllegalArgumentException("property(" + PROTOCOLS
                    + ", ...): tls and sasl set this one themselves; do without them or without it");
        }
        return EmbeddedKafka.start(new Options(
                nodes, port, directory, serverProperties, clientProperties, security, List.copyOf(networks)));
    }
}
