package dev.laneway.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.scale.ScalingPolicy;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The manifests, as they are. That the role has the rights that are needed, and no others, is KubernetesActorTest's.
 */
class ManifestTest {
    private static final Path DEPLOY = Path.of("src/main/deploy");
    private static final Path CHART = Path.of("src/main/chart/laneway");
    private static final Path RENDERED = Path.of("src/test/helm/rendered.yaml");

    private static List<HasMetadata> manifests(Path file) {
        try (KubernetesClient parser = new KubernetesClientBuilder()
                        .withConfig(new ConfigBuilder(Config.empty()).build())
                        .build();
                InputStream yaml = Files.newInputStream(file)) {
            return parser.load(yaml).items();
        } catch (IOException missing) {
            throw new AssertionError(missing);
        }
    }

    private static <T> T only(List<HasMetadata> manifests, Class<T> type) {
        List<T> found =
                manifests.stream().filter(type::isInstance).map(type::cast).toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    private static List<PolicyRule> rules(List<HasMetadata> manifests) {
        return only(manifests, Role.class).getRules();
    }

    @Test
    @DisplayName("B196 the manifests start this verb with options that it has, with the account that has the rights")
    void plain() throws IOException {
        List<HasMetadata> manifests = new ArrayList<>(manifests(DEPLOY.resolve("rights.yaml")));
        manifests.addAll(manifests(DEPLOY.resolve("autoscaler.yaml")));
        assertThat(manifests).hasSize(6);
        check(manifests);
    }

    @Test
    @DisplayName("B196 the chart's autoscaler does the same, with the rights of the manifests and no others")
    void chart() throws IOException, NoSuchAlgorithmException {
        assertThat(Files.readString(RENDERED))
                .as("run kubernetes/src/test/helm/check --write")
                .contains(digest());
        List<HasMetadata> manifests = manifests(RENDERED).stream()
                .filter(each -> each.getMetadata().getName().equals("laneway-autoscaler"))
                .toList();
        assertThat(manifests).hasSize(6);
        check(manifests);
        assertThat(rules(manifests))
                .containsExactlyInAnyOrderElementsOf(rules(manifests(DEPLOY.resolve("rights.yaml"))));
    }

    /** Of the chart's files, as the script that renders it reckons it. */
    private static String digest() throws IOException, NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (Stream<Path> files = Files.walk(CHART)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .sorted(Comparator.comparing(file -> "./" + CHART.relativize(file)))
                    .toList()) {
                digest.update(Files.readAllBytes(file));
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void check(List<HasMetadata> manifests) throws IOException {
        PodSpec pod = only(manifests, Deployment.class).getSpec().getTemplate().getSpec();
        Container container = pod.getContainers().getFirst();
        assertThat(container.getCommand()).endsWith(Main.class.getName());
        Verb.Streams streams = new Verb.Streams(System.out, System.err, new Stop());
        String[] args = container.getArgs().toArray(String[]::new);
        assertThat(Main.commandLine(streams)
                        .parseArgs(args)
                        .subcommand()
                        .matchedOption("--mode")
                        .<Object>getValue())
                .hasToString("OBSERVE");
        RoleBinding binding = only(manifests, RoleBinding.class);
        assertThat(binding.getRoleRef().getName())
                .isEqualTo(only(manifests, Role.class).getMetadata().getName());
        assertThat(pod.getServiceAccountName())
                .isEqualTo(binding.getSubjects().getFirst().getName())
                .isEqualTo(only(manifests, ServiceAccount.class).getMetadata().getName());
        Properties policy = new Properties();
        policy.load(new StringReader(only(manifests, ConfigMap.class).getData().getOrDefault("policy.properties", "")));
        Map<String, String> given = new HashMap<>();
        policy.stringPropertyNames().forEach(key -> given.put(key, policy.getProperty(key)));
        assertThat(ScalingPolicy.of(given).given()).containsEntry("replicas.max", "16");
    }
}
