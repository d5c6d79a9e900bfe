package dev.laneway.keda;

import dev.laneway.ConfigurationException;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The files of TLS. Filled by the parser, then read only. */
final class TlsFiles {
    @Option(
            names = "--tls-certificate",
            paramLabel = "FILE",
            description = "The server's certificates in PEM, its own first; without them, plain text.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The key to it in PEM (PKCS 8).")
    private @Nullable Path key;

    @Option(
            names = "--tls-clients",
            paramLabel = "FILE",
            description = "Certificates in PEM that vouch for clients; others are refused.")
    private @Nullable Path clients;

    boolean isGiven() {
        return certificate != null;
    }

    void check() {
        alone("--tls-certificate", certificate, key);
        alone("--tls-key", key, certificate);
        if (clients != null && certificate == null) {
            throw new ConfigurationException(
                    "--tls-clients", clients, "needs TLS", "give --tls-certificate and --tls-key, too");
        }
        readable("--tls-certificate", certificate);
        readable("--tls-key", key);
        readable("--tls-clients", clients);
    }

    private static void alone(String option, @Nullable Path file, @Nullable Path other) {
        if (file != null && other == null) {
            throw new ConfigurationException(
                    option, file, "must not stand alone", "give both --tls-certificate and --tls-key, or neither");
        }
    }

    private static void readable(String option, @Nullable Path file) {
        if (file != null && !(Files.isRegularFile(file) && Files.isReadable(file))) {
            throw new ConfigurationException(option, file, "must be a file that can be read", "check its path");
        }
    }

    /** What the server shows and asks for. */
    ServerCredentials credentials() {
        if (certificate == null || key == null) {
            return ScalerServer.plainText();
        }
        try {
            TlsServerCredentials.Builder tls =
                    TlsServerCredentials.newBuilder().keyManager(certificate.toFile(), key.toFile());
            if (clients != null) {
                tls.trustManager(clients.toFile()).clientAuth(TlsServerCredentials.ClientAuth.REQUIRE);
            }
            return tls.build();
        } catch (IOException failed) {
            throw unfit(failed);
        }
    }

    /** The server has read the files, and cannot use them. */
    ConfigurationException unfit(Exception why) {
        return new ConfigurationException(
                "--tls-certificate",
                String.valueOf(certificate),
                "must be of use for TLS with its --tls-key and --tls-clients, and is not: " + why.getMessage(),
                "give others");
    }
}
