package dev.laneway.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.ConfigurationException;
import dev.laneway.ops.control.ActorAnswer;
import dev.laneway.ops.control.ActorView;
import dev.laneway.ops.control.LoopClock;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Against a server that allows what the role in src/main/deploy allows, and no more. */
class KubernetesActorTest {
    private static final Workload SHOP = Workload.of("prod", "deployment/shop");
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(500);

    private final List<PolicyRule> rules = Rights.ofManifest();
    private final FakeScaleServer server = new FakeScaleServer(2, rules);
    private final KubernetesClient client = new KubernetesClientBuilder()
            .withConfig(new ConfigBuilder(Config.empty())
                    .withMasterUrl(server.url())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
    private @Nullable String standby;

    private KubernetesActor actor(Duration limit) {
        return new KubernetesActor(new ScaleApi(client, SHOP, limit), SHOP, () -> standby, LoopClock.SYSTEM);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    @DisplayName("B196 scales by the scale subresource with the rights of the manifest, and leaves an event")
    void scales() {
        KubernetesActor actor = actor(LONG);
        ActorView view = actor.look(true);
        assertThat(view.members()).isEqualTo(2);
        assertThat(view.standby()).isNull();
        assertThat(view.isSettled()).isTrue();
        ActorAnswer answer = actor.change(2, 5, "UP from 2 to 5.");
        assertThat(answer).isInstanceOf(ActorAnswer.Done.class);
        assertThat(answer.words()).isEqualTo("sets the replicas of Deployment prod/shop to 5");
        assertThat(server.wanted()).isEqualTo(5);
        assertThat(server.events()).hasSize(1).allSatisfy(event -> {
            assertThat(event.path("reason").asText()).isEqualTo("ScaledUp");
            assertThat(event.path("message").asText()).isEqualTo("UP from 2 to 5.");
            assertThat(event.path("involvedObject").path("name").asText()).isEqualTo("shop");
        });
        assertThat(actor.look(true).isSettled()).isFalse();
        server.settle();
        assertThat(actor.look(true)).isEqualTo(ActorView.of(5, true));
    }

    @Test
    @DisplayName("B196 the role allows get and patch of scale, and nothing of workloads themselves")
    void rights() {
        List<String> allowed = new ArrayList<>();
        rules.forEach(rule -> rule.getResources().forEach(resource -> allowed.add(resource + " " + rule.getVerbs())));
        assertThat(allowed)
                .containsExactlyInAnyOrder(
                        "deployments/scale [get, patch]",
                        "statefulsets/scale [get, patch]",
                        "horizontalpodautoscalers [list]",
                        "scaledobjects [list]",
                        "leases [create, get, patch, update]",
                        "events [create]");
    }

    @Test
    @DisplayName("B196 where somebody was faster nothing is changed, and the next look sees what they did")
    void conflict() {
        KubernetesActor actor = actor(LONG);
        actor.look(true);
        server.set(3);
        ActorAnswer answer = actor.change(2, 5, "");
        assertThat(answer).isInstanceOf(ActorAnswer.Refused.class);
        assertThat(answer.words()).contains("409", "has been modified");
        assertThat(server.wanted()).isEqualTo(3);
        assertThat(actor.look(true).members()).isEqualTo(3);
        assertThat(actor.change(2, 5, "").words()).contains("is to have 3 replicas, not 2");
        assertThat(server.wanted()).isEqualTo(3);
    }

    @Test
    @DisplayName("B196 a right that is missing is named, and nothing is done")
    void forbidden() {
        KubernetesActor actor = actor(LONG);
        actor.look(true);
        List<PolicyRule> fewer = new ArrayList<>(rules);
        fewer.removeIf(rule -> rule.getResources().contains("events"));
        server.rules(fewer);
        assertThat(actor.change(2, 3, "")).as("an event is no condition").isInstanceOf(ActorAnswer.Done.class);
        assertThat(actor.look(true).news()).anyMatch(news -> news.contains("events is forbidden: cannot create"));
        actor.look(true);
        server.rules(List.of());
        assertThat(actor.change(3, 4, ""))
                .isInstanceOf(ActorAnswer.Refused.class)
                .extracting(ActorAnswer::words)
                .asString()
                .contains("403", "deployments/scale is forbidden: cannot patch");
        ActorView view = actor.look(true);
        assertThat(view.members()).isNull();
        assertThat(view.standby()).contains("403", "cannot get");
        assertThat(server.wanted()).isEqualTo(3);
    }

    @Test
    @DisplayName("B196 a server that does not answer in time, or fails, leaves it open what was done")
    void slow() {
        KubernetesActor actor = actor(SHORT);
        actor.look(true);
        server.failing(500);
        assertThat(actor.change(2, 3, "")).isInstanceOf(ActorAnswer.Unsure.class);
        server.failing(422);
        assertThat(actor.change(2, 3, "")).isInstanceOf(ActorAnswer.Refused.class);
        server.failing(0);
        server.silent();
        ActorAnswer answer = actor.change(2, 3, "");
        assertThat(answer).isInstanceOf(ActorAnswer.Unsure.class);
        assertThat(answer.words()).contains("perhaps not done", "not answered within 500 ms");
        assertThat(actor.look(true)).satisfies(view -> {
            assertThat(view.members()).isNull();
            assertThat(view.standby()).contains("not answered within 500 ms");
        });
    }

    @Test
    @DisplayName("B196 a workload that is gone, or whose server is, is unknown, and not one of no members")
    void gone() {
        server.gone();
        assertThat(actor(LONG).look(true).standby()).contains("404", "deployments.apps \"shop\" not found");
        server.close();
        ActorView view = actor(LONG).look(true);
        assertThat(view.members()).isNull();
        assertThat(view.standby()).contains("fails");
    }

    @Test
    @DisplayName("B196 it stands by while another autoscaler has the workload, or somebody has scaled it to 0")
    void rivals() {
        KubernetesActor actor = actor(LONG);
        server.rival("HorizontalPodAutoscaler", "other", "Deployment", "cart");
        server.rival("HorizontalPodAutoscaler", "set", "StatefulSet", "shop");
        assertThat(actor.look(true).standby()).isNull();
        server.rival("ScaledObject", "keda", "", "shop");
        assertThat(actor.look(true).standby()).contains("ScaledObject keda scales Deployment prod/shop too");
        server.rival("HorizontalPodAutoscaler", "hpa", "Deployment", "shop");
        assertThat(actor.look(true).standby()).contains("HorizontalPodAutoscaler hpa scales");
        try (FakeScaleServer stopped = new FakeScaleServer(0, rules);
                KubernetesClient other = new KubernetesClientBuilder()
                        .withConfig(new ConfigBuilder(Config.empty())
                                .withMasterUrl(stopped.url())
                                .build())
                        .build()) {
            KubernetesActor idle =
                    new KubernetesActor(new ScaleApi(other, SHOP, LONG), SHOP, () -> standby, LoopClock.SYSTEM);
            assertThat(idle.look(true).standby()).contains("somebody has scaled Deployment prod/shop to 0");
        }
    }

    @Test
    @DisplayName("B196 who does not lead stands by, and sees the members nevertheless")
    void follows() {
        standby = "autoscaler x has lease y";
        assertThat(actor(LONG).look(true)).isEqualTo(new ActorView(2, standby, true, Set.of(), List.of()));
    }

    @Test
    @DisplayName("B196 names that are none are refused before anything is asked")
    void names() {
        for (String wrong : List.of("shop", "daemonset/shop", "deployment/", "deployment/a/../b", "deployment/Shop")) {
            assertThatThrownBy(() -> Workload.of("prod", wrong)).as(wrong).isInstanceOf(ConfigurationException.class);
        }
        assertThatThrownBy(() -> Workload.of("a/b", "deployment/shop")).isInstanceOf(ConfigurationException.class);
    }
}
