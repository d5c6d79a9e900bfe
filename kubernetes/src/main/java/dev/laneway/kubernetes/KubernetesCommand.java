package dev.laneway.kubernetes;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.watch.AutoscaleRunOptions;
import dev.laneway.cli.watch.AutoscaleSession;
import dev.laneway.ops.control.LoopClock;
import dev.laneway.ops.control.ScalingMode;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a scaling policy on a workload of Kubernetes. */
@Command(
        name = "kubernetes",
        header = "Scale a deployment or a statefulset by a scaling policy, as its only autoscaler.",
        description = {
            "As laneway autoscale run, for members that are replicas of a workload. It sets the number of replicas by"
                    + " the scale subresource, and only while it has a lease, so that of several copies one acts. It"
                    + " changes nothing while a HorizontalPodAutoscaler or a ScaledObject scales the workload too, or"
                    + " while somebody has scaled it to 0. The server is that of the pod's service account, or of"
                    + " KUBECONFIG.",
            "docs/autoscale.md has the policy, the rights that it needs, and how to begin."
        },
        footer = {
            "",
            "Example: laneway kubernetes --group shop --log decisions.jsonl --workload deployment/shop",
            "",
            "Exit codes: 0 ended as asked; 1 failed; 2 usage."
        })
final class KubernetesCommand extends Verb {
    private static final int MOST_NAME = 200;

    @Mixin
    private Connection connection = new Connection();

    @Mixin
    private AutoscaleRunOptions options = new AutoscaleRunOptions();

    @Option(
            names = "--workload",
            paramLabel = "KIND/NAME",
            required = true,
            description = "What has the members: deployment/NAME or statefulset/NAME.")
    private String workload = "";

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description = "Of the workload and the lease (default: that of the pod, or of KUBECONFIG).")
    private @Nullable String namespace;

    @Option(names = "--lease", paramLabel = "NAME", description = "The lease (default: from the group's name).")
    private @Nullable String lease;

    @Option(
            names = "--server-limit",
            paramLabel = "TIME",
            defaultValue = "5s",
            description = "How long the API server may take for each request (default: ${DEFAULT-VALUE}).")
    private Duration serverLimit = Duration.ofSeconds(5);

    KubernetesCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        options.check();
        connection.brokerLimit();
        Rules.positive("--server-limit", serverLimit);
        Workload.of(namespace == null ? "default" : namespace, workload);
        if (!leaseName().matches("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")) {
            throw new ConfigurationException(
                    "--lease", leaseName(), "must be the name of an object", "write it like laneway-shop");
        }
    }

    /** Names of groups may have what names of leases may not, so that two of them could have one without the hash. */
    private String leaseName() {
        if (lease != null) {
            return lease;
        }
        String name = options.group().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "-");
        return "laneway-" + name.substring(0, Math.min(name.length(), MOST_NAME)) + "-"
                + Integer.toHexString(options.group().hashCode());
    }

    @Override
    protected int run() throws InterruptedException {
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config()).build()) {
            String where = namespace != null ? namespace : client.getNamespace();
            Workload target = Workload.of(where == null ? "default" : where, workload);
            ScaleApi api = new ScaleApi(client, target, serverLimit);
            boolean acts = options.mode() == ScalingMode.ACT;
            try (Leadership leadership = acts
                    ? new Leadership(
                            client,
                            target.namespace(),
                            leaseName(),
                            UUID.randomUUID().toString())
                    : null) {
                AutoscaleSession session =
                        new AutoscaleSession(options, connection, terminal(), text(), errors(), stop());
                report(session.run(_ -> new KubernetesActor(
                        api, target, () -> leadership == null ? null : leadership.standby(), LoopClock.SYSTEM)));
                return Program.FINE;
            }
        } catch (KubernetesClientException failed) {
            throw new VerbFailure("Kubernetes cannot be asked: " + failed.getMessage(), failed);
        }
    }

    private Config config() {
        return new ConfigBuilder()
                .withRequestTimeout((int) Math.min(Integer.MAX_VALUE, serverLimit.toMillis()))
                .withConnectionTimeout((int) Math.min(Integer.MAX_VALUE, serverLimit.toMillis()))
                .withRequestRetryBackoffLimit(0) // A change that is sent twice may be made twice.
                .build();
    }
}
