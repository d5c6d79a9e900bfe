package dev.laneway.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Certificates of one embedded cluster, made when it starts and deleted when it ends: an authority of its own, one for
 * the brokers, one for each user. The JDK's keytool makes them, since the JDK has no API that signs a certificate.
 * Immutable; its files are in a temporary directory.
 */
final class Certificates implements AutoCloseable {

    private static final String AUTHORITY = "authority";
    private static final String SERVER = "server";
    private static final String PASSWORD_VARIABLE = "LANEWAY_STORE_PASSWORD";
    private static final long KEYTOOL_SECONDS = 60;

    private final Path directory;
    private final Map<String, Identity> identities;
    private final Certificate authority;

    private Certificates(Path directory, Map<String, Identity> identities, Certificate authority) {
        this.directory = directory;
        this.identities = Map.copyOf(identities);
        this.authority = authority;
    }

    /** A key, and its certificate with the authority's. */
    record Identity(PrivateKey key, List<Certificate> chain) {
        String keyPem() {
            return pem("PRIVATE KEY", key.getEncoded());
        }

        String chainPem() {
            StringBuilder all = new StringBuilder();
            chain.forEach(certificate -> all.append(Certificates.pem(certificate)));
            return all.toString();
        }

        @Override
        public String toString() {
            return "Identity[" + chain.size() + " certificates]";
        }
    }

    /** Makes the authority, the brokers' certificate and one for each user, with the user's name. */
    static Certificates make(Collection<String> users) {
        try {
            Path directory = Files.createTempDirectory("laneway-tls-");
            try {
                return make(directory, users);
            } catch (IOException | GeneralSecurityException | RuntimeException failure) {
                delete(directory);
                throw failure;
            }
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalStateException("certificates for the embedded cluster cannot be made", failure);
        }
    }

    private static Certificates make(Path directory, Collection<String> users)
            throws IOException, GeneralSecurityException {
        Path store = directory.resolve("all.p12");
        String password = UUID.randomUUID().toString();
        keytool(store, password, AUTHORITY, "laneway-testkit-authority", List.of("-ext", "bc:c"));
        List<String> signed = List.of("-signer", AUTHORITY);
        List<String> addresses = new ArrayList<>(signed);
        addresses.addAll(List.of("-ext", "san=ip:" + Port.HOST + ",dns:localhost"));
        keytool(store, password, SERVER, "localhost", addresses);
        for (String user : users) {
            keytool(store, password, alias(user), user, signed);
        }
        KeyStore all = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            all.load(in, password.toCharArray());
        }
        Files.delete(store);
        Map<String, Identity> identities = new HashMap<>();
        identities.put(SERVER, identity(all, SERVER, password));
        for (String user : users) {
            identities.put(alias(user), identity(all, alias(user), password));
        }
        return new Certificates(directory, identities, all.getCertificate(AUTHORITY));
    }

    private static String alias(String user) {
        return "user-" + user;
    }

    private static Identity identity(KeyStore all, String alias, String password) throws GeneralSecurityException {
        PrivateKey key = (PrivateKey) all.getKey(alias, password.toCharArray());
        return new Identity(key, List.of(all.getCertificateChain(alias)));
    }

    /**
     * Adds a key and its certificate. The password is passed in the environment, since other users can read a command
     * line.
     */
    private static void keytool(Path store, String password, String alias, String name, List<String> more)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                // Halves the start time of a JVM that runs for a moment only.
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-alias",
                alias,
                "-dname",
                "CN=" + name,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                // If the clock is set back, the certificate must already be valid.
                "-startdate",
                "-1d",
                "-validity",
                "3650",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass:env",
                PASSWORD_VARIABLE));
        command.addAll(more);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put(PASSWORD_VARIABLE, password);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException("keytool made no certificate for " + name + ": " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while keytool was at work", e);
        } finally {
            process.destroyForcibly();
        }
    }

    /** The certificate of the authority, as text. */
    String authorityPem() {
        return pem(authority);
    }

    /** The key and certificate of the brokers. */
    Identity server() {
        return Objects.requireNonNull(identities.get(SERVER));
    }

    /** The key and certificate of a user. */
    Identity user(String name) {
        return Objects.requireNonNull(identities.get(alias(name)), () -> "no certificate was made for " + name);
    }

    /** A file with the authority's certificate. */
    Path trustStore(StoreForm form, String password) {
        return store(
                "trust-" + UUID.randomUUID(), form, password, all -> all.setCertificateEntry(AUTHORITY, authority));
    }

    /** A file with the key and certificate of a user. */
    Path keyStore(String user, StoreForm form, String password) {
        Identity identity = user(user);
        return store(
                "key-" + UUID.randomUUID(),
                form,
                password,
                all -> all.setKeyEntry(
                        user,
                        identity.key(),
                        password.toCharArray(),
                        identity.chain().toArray(Certificate[]::new)));
    }

    private interface Filling {
        void fill(KeyStore store) throws GeneralSecurityException;
    }

    private Path store(String name, StoreForm form, String password, Filling filling) {
        Path file = directory.resolve(name);
        try (OutputStream out = Files.newOutputStream(file)) {
            KeyStore store = KeyStore.getInstance(form.name());
            store.load(null, null);
            filling.fill(store);
            store.store(out, password.toCharArray());
            return file;
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalStateException("the store " + file + " cannot be written", failure);
        }
    }

    private static String pem(Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("a certificate just read cannot be written", impossible);
        }
    }

    private static String pem(String kind, byte[] content) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
    }

    /** Deletes the files. */
    @Override
    public void close() {
        try {
            delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("temporary directory " + directory + " could not be deleted", e);
        }
    }

    private static void delete(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> entries = Files.list(directory)) {
            files = entries.toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
        Files.deleteIfExists(directory);
    }
}
