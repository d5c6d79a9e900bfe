package dev.laneway.keda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.scale.ScalingOption;
import dev.laneway.ops.scale.ScalingPolicy;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ManifestTest {
    private static final Path DEPLOY = Path.of("src/main/deploy");
    private static final Path RENDERED = Path.of("../kubernetes/src/test/helm/rendered.yaml");

    private static List<HasMetadata> manifests(String file) throws IOException {
        return manifests(DEPLOY.resolve(file));
    }

    private static List<HasMetadata> manifests(Path file) throws IOException {
        try (KubernetesClient parser = new KubernetesClientBuilder()
                        .withConfig(new ConfigBuilder(Config.empty()).build())
                        .build();
                InputStream yaml = Files.newInputStream(file)) {
            return parser.load(yaml).items();
        }
    }

    private static <T> T only(List<HasMetadata> manifests, Class<T> type) {
        List<T> found =
                manifests.stream().filter(type::isInstance).map(type::cast).toList();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    @Test
    @DisplayName("B203 the manifest starts this verb with options that it has, at the port of its probes and its"
            + " service")
    void deployment() throws IOException {
        check(manifests("scaler.yaml"));
    }

    @Test
    @DisplayName("B203 the chart's scaler does the same, and its ScaledObjects ask for what the scaler takes")
    void chart() throws IOException {
        List<HasMetadata> manifests = manifests(RENDERED);
        check(manifests.stream()
                .filter(each -> each.getMetadata().getName().equals("laneway-scaler"))
                .toList());
        List<GenericKubernetesResource> objects = manifests.stream()
                .filter(GenericKubernetesResource.class::isInstance)
                .map(GenericKubernetesResource.class::cast)
                .toList();
        assertThat(objects).hasSize(2);
        objects.forEach(object -> ask(object, "laneway-scaler.prod.svc:9370"));
        assertThat(objects.getFirst().<String>get("spec", "scaleTargetRef", "kind"))
                .isEqualTo("StatefulSet");
        assertThat(objects.getLast().<String>get("spec", "triggers", 0, "metadata", "group"))
                .as("a name that looks like a number")
                .isEqualTo("07");
    }

    private static void check(List<HasMetadata> manifests) {
        assertThat(manifests).hasSize(3);
        Deployment deployment = only(manifests, Deployment.class);
        Container container =
                deployment.getSpec().getTemplate().getSpec().getContainers().getFirst();
        assertThat(container.getCommand()).endsWith(Main.class.getName());
        Verb.Streams streams = new Verb.Streams(System.out, System.err, new Stop());
        String[] args = container.getArgs().toArray(String[]::new);
        assertThat(Main.commandLine(streams)
                        .parseArgs(args)
                        .subcommand()
                        .matchedOption("--port")
                        .<Integer>getValue())
                .isEqualTo(container.getPorts().getFirst().getContainerPort())
                .isEqualTo(container.getReadinessProbe().getGrpc().getPort())
                .isEqualTo(container.getLivenessProbe().getGrpc().getPort())
                .isEqualTo(only(manifests, Service.class)
                        .getSpec()
                        .getPorts()
                        .getFirst()
                        .getPort());
        assertThat(deployment.getSpec().getTemplate().getMetadata().getLabels())
                .isEqualTo(only(manifests, Service.class).getSpec().getSelector())
                .isEqualTo(deployment.getSpec().getSelector().getMatchLabels());
        assertThat(deployment
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getVolumes()
                        .getFirst()
                        .getPersistentVolumeClaim()
                        .getClaimName())
                .isEqualTo(only(manifests, PersistentVolumeClaim.class)
                        .getMetadata()
                        .getName());
        assertThat(deployment.getSpec().getTemplate().getSpec().getAutomountServiceAccountToken())
                .isFalse();
    }

    @Test
    @DisplayName("B203 the ScaledObject asks for what the scaler takes, within the policy's bounds, and never for zero")
    void scaledObject() throws IOException {
        GenericKubernetesResource object = only(manifests("scaledobject.yaml"), GenericKubernetesResource.class);
        Trigger trigger = ask(
                object,
                only(manifests("scaler.yaml"), Service.class).getMetadata().getName() + ".default.svc:9370");
        assertThat(trigger.group()).isEqualTo("shop");
        assertThat(trigger.endpoints()).hasSize(1);
    }

    /** What is asked for, if that is right. */
    private static Trigger ask(GenericKubernetesResource object, String address) {
        assertThat(object.getKind()).isEqualTo("ScaledObject");
        Map<String, String> metadata = new TreeMap<>();
        object.<Map<String, String>>get("spec", "triggers", 0, "metadata").forEach(metadata::put);
        Trigger trigger = Trigger.of(new ScaledObjectRef("shop", "prod", metadata), ScalingPolicy.USUAL, _ -> true);
        assertThat(metadata).containsEntry("scalerAddress", address);
        assertThat(object.<Integer>get("spec", "minReplicaCount"))
                .isEqualTo((int) trigger.policy().get(ScalingOption.REPLICAS_MIN))
                .isPositive();
        assertThat(object.<Integer>get("spec", "maxReplicaCount"))
                .isEqualTo((int) trigger.policy().get(ScalingOption.REPLICAS_MAX));
        assertThat(object.<String>get("spec", "triggers", 0, "type")).isEqualTo("external-push");
        assertThat(object.<String>get("spec", "fallback", "behavior")).isEqualTo("currentReplicas");
        return trigger;
    }
}
