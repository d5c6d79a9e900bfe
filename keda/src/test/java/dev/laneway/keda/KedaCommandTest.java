package dev.laneway.keda;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DynamicMessage;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What needs no brokers: those of these tests are not there. */
class KedaCommandTest {
    private static final String NOWHERE = "localhost:1";
    private static final char[] PASSWORD = "password".toCharArray();

    @TempDir
    private Path directory;

    private String refused(int code, String... options) {
        List<String> line = new ArrayList<>(List.of("keda", "--bootstrap", NOWHERE));
        line.addAll(List.of(options));
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
        assertThat(Main.run(new Verb.Streams(stream, stream, new Stop()), line.toArray(String[]::new)))
                .isEqualTo(code);
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("B204 options that are wrong are refused in one sentence before anything is opened")
    void usage() {
        String logs = directory.resolve("logs").toString();
        assertThat(refused(Program.USAGE)).contains("--logs");
        assertThat(refused(Program.USAGE, "--logs", logs, "--port", "70000")).contains("--port is 70000");
        assertThat(refused(Program.USAGE, "--logs", logs, "--triggers", "0")).contains("--triggers is 0");
        assertThat(refused(Program.USAGE, "--logs", logs, "--set", "replicas.min=0"))
                .contains("replicas.min");
        assertThat(refused(Program.USAGE, "--logs", logs, "--tls-key", "k")).contains("must not stand alone");
        assertThat(refused(Program.USAGE, "--logs", logs, "--tls-clients", "k")).contains("needs TLS");
        assertThat(refused(Program.USAGE, "--logs", logs, "--tls-key", "k", "--tls-certificate", "c"))
                .contains("must be a file that can be read");
        assertThat(refused(Program.USAGE, "--logs", logs, "--listen", "no.such.host.invalid"))
                .contains("must be an address of this machine");
        assertThat(directory.resolve("logs")).doesNotExist();
    }

    @Test
    @DisplayName("B204 of two scalers one has the logs, and of two at a port one has it; what is no key is refused")
    void rivals() throws IOException {
        Path logs = directory.resolve("logs");
        try (RunningScaler first = new RunningScaler(NOWHERE, logs)) {
            String port = String.valueOf(first.port());
            assertThat(refused(Program.FAILED, "--logs", logs.toString())).contains("another scaler writes to --logs");
            String other = directory.resolve("other").toString();
            assertThat(refused(Program.FAILED, "--logs", other, "--port", port))
                    .contains("cannot listen at 127.0.0.1:" + port, "Address already in use");
            Path wrong = Files.writeString(directory.resolve("wrong"), "no key");
            assertThat(refused(
                            Program.USAGE,
                            "--logs",
                            other,
                            "--port",
                            "0",
                            "--tls-key",
                            wrong.toString(),
                            "--tls-certificate",
                            wrong.toString()))
                    .contains("must be of use for TLS");
            first.end();
        }
        try (RunningScaler again = new RunningScaler(NOWHERE, logs)) {
            assertThat(again.port()).isPositive();
        }
    }

    @Test
    @DisplayName("B204 by TLS it is reached by who trusts it, and with --tls-clients by who is trusted")
    void tls() throws Exception {
        Path certificate = directory.resolve("certificate.pem");
        Path key = directory.resolve("key.pem");
        makeKey(certificate, key);
        String[] server = {"--tls-certificate", certificate.toString(), "--tls-key", key.toString()};
        ChannelCredentials trusting = TlsChannelCredentials.newBuilder()
                .trustManager(certificate.toFile())
                .build();
        ChannelCredentials trusted = TlsChannelCredentials.newBuilder()
                .trustManager(certificate.toFile())
                .keyManager(certificate.toFile(), key.toFile())
                .build();
        try (RunningScaler scaler = new RunningScaler(NOWHERE, directory.resolve("logs"), server)) {
            assertThat(answer(scaler, trusting)).isEqualTo(Status.Code.OK);
            assertThat(scaler.text()).contains("by TLS");
        }
        String[] mutual = {
            "--tls-certificate",
            certificate.toString(),
            "--tls-key",
            key.toString(),
            "--tls-clients",
            certificate.toString()
        };
        try (RunningScaler scaler = new RunningScaler(NOWHERE, directory.resolve("logs"), mutual)) {
            assertThat(answer(scaler, trusting)).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(answer(scaler, trusted)).isEqualTo(Status.Code.OK);
        }
    }

    private static Status.Code answer(RunningScaler scaler, ChannelCredentials credentials) {
        ManagedChannel channel = Grpc.newChannelBuilderForAddress("localhost", scaler.port(), credentials)
                .build();
        DynamicMessage shop = ScalerClient.scaledObject("prod", "shop", Map.of("group", "shop"));
        try (ScalerClient client = new ScalerClient(channel)) {
            client.ask("GetMetricSpec", shop);
            return Status.Code.OK;
        } catch (StatusRuntimeException failed) {
            return failed.getStatus().getCode();
        }
    }

    /** A certificate that vouches for itself, as files in PEM. */
    private void makeKey(Path certificate, Path key)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = directory.resolve("store.p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair"));
        command.addAll(List.of("-keyalg", "EC", "-alias", "it", "-dname", "CN=localhost", "-validity", "2"));
        command.addAll(List.of("-ext", "san=dns:localhost,ip:127.0.0.1", "-storepass", new String(PASSWORD)));
        command.addAll(List.of("-keystore", store.toString()));
        assertThat(new ProcessBuilder(command).redirectErrorStream(true).start().waitFor())
                .isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        write(certificate, "CERTIFICATE", keys.getCertificate("it").getEncoded());
        write(key, "PRIVATE KEY", keys.getKey("it", PASSWORD).getEncoded());
    }

    private static void write(Path file, String kind, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
