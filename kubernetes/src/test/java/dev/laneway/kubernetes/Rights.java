package dev.laneway.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the autoscaler may do where it is installed as src/main/deploy says. */
final class Rights {
    private static final Path FILE = Path.of("src/main/deploy/rights.yaml");

    private Rights() {}

    static List<PolicyRule> ofManifest() {
        try (KubernetesClient parser = new KubernetesClientBuilder()
                        .withConfig(new ConfigBuilder(Config.empty()).build())
                        .build();
                InputStream yaml = Files.newInputStream(FILE)) {
            for (HasMetadata each : parser.load(yaml).items()) {
                if (each instanceof Role role) {
                    return role.getRules();
                }
            }
            throw new AssertionError(FILE + " has no role");
        } catch (IOException missing) {
            throw new AssertionError(missing);
        }
    }
}
