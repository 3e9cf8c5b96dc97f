package dev.millrace.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the Helm chart and the runtime for KServe, rendered as Helm does and read as Kubernetes does. */
class ChartTest {
    private final Chart chart = Chart.read();

    private static Object at(@Nullable Object tree, Object... path) {
        Object at = Objects.requireNonNull(tree);
        for (Object step : path) {
            Object next = step instanceof Integer index
                    ? ((List<?>) at).get(index)
                    : Chart.object(at).get(String.valueOf(step));
            assertThat(next).as("%s of %s", step, List.of(path)).isNotNull();
            at = Objects.requireNonNull(next);
        }
        return at;
    }

    private static Object container(@Nullable Map<String, Object> deployment) {
        return at(deployment, "spec", "template", "spec", "containers", 0);
    }

    private Map<String, Object> with(String key, Object value) throws IOException {
        var values = new LinkedHashMap<>(chart.values());
        assertThat(values).containsKey(key);
        values.put(key, value);
        return values;
    }

    private static List<String> names(Object list) {
        return ((List<?>) list)
                .stream().map(each -> String.valueOf(at(each, "name"))).toList();
    }

    @Test
    void theDefaultsAreADeploymentAndAService() throws IOException {
        var objects = chart.render(chart.values());
        assertThat(objects).containsOnlyKeys("Deployment", "Service");
        objects.values().forEach(each -> {
            assertThat(at(each, "apiVersion")).isNotNull();
            assertThat(at(each, "metadata", "name")).isEqualTo("mill");
        });
        var deployment = objects.get("Deployment");
        assertThat(at(deployment, "spec", "replicas")).isEqualTo(2);
        assertThat(at(deployment, "spec", "selector", "matchLabels"))
                .isEqualTo(at(objects.get("Service"), "spec", "selector"));
        assertThat(at(container(deployment), "image")).isEqualTo("millrace-server:0.1.0");
        assertThat(at(container(deployment), "args")).isEqualTo(List.of("serve", "/models", "--drain-seconds=30"));
    }

    @Test
    void probesAskPortsThatThereAre() throws IOException {
        var objects = chart.render(chart.values());
        Object server = container(objects.get("Deployment"));
        List<String> ports = names(at(server, "ports"));
        for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            assertThat(ports).contains(String.valueOf(at(server, probe, "httpGet", "port")));
        }
        for (Object port : (List<?>) at(objects.get("Service"), "spec", "ports")) {
            assertThat(ports).contains(String.valueOf(at(port, "targetPort")));
        }
        assertThat(at(server, "livenessProbe", "httpGet", "path")).isEqualTo("/v2/health/live");
        assertThat(at(server, "readinessProbe", "httpGet", "path")).isEqualTo("/v2/health/ready");
    }

    @Test
    void aPodLivesUntilItsRequestsHaveEnded() throws IOException {
        var deployment = chart.render(with("drainSeconds", 100)).get("Deployment");
        int leave = (Integer) at(container(deployment), "lifecycle", "preStop", "sleep", "seconds");
        assertThat((Integer) at(deployment, "spec", "template", "spec", "terminationGracePeriodSeconds"))
                .isGreaterThan(leave + 100);
        assertThat(at(deployment, "spec", "strategy", "rollingUpdate", "maxUnavailable"))
                .isEqualTo(0);
    }

    @Test
    void aPodHasNoRights() throws IOException {
        var deployment = chart.render(chart.values()).get("Deployment");
        Object pod = at(deployment, "spec", "template", "spec");
        assertThat(at(pod, "automountServiceAccountToken")).isEqualTo(false);
        assertThat(at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
        Object rights = at(container(deployment), "securityContext");
        assertThat(at(rights, "readOnlyRootFilesystem")).isEqualTo(true);
        assertThat(at(rights, "allowPrivilegeEscalation")).isEqualTo(false);
        assertThat(at(rights, "capabilities", "drop")).isEqualTo(List.of("ALL"));
    }

    @Test
    void valuesAddTokensTracesVolumesAndFlags() throws IOException {
        var values = with("tokenSecret", "keys");
        values.put("otlpEndpoint", "http://collector:4318");
        values.put("models", Map.of("path", "/srv/models", "claim", "models", "store", "", "named", Map.of()));
        values.put("flags", List.of("--control=poll", "--genai-telemetry"));
        values.put("prepared", false);
        var deployment = chart.render(values).get("Deployment");
        Object server = container(deployment);
        assertThat(at(server, "args"))
                .isEqualTo(List.of(
                        "serve",
                        "/srv/models",
                        "--drain-seconds=30",
                        "--token-file=/run/millrace/tokens",
                        "--telemetry",
                        "--control=poll",
                        "--genai-telemetry"));
        assertThat(names(at(server, "env")))
                .contains("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME", "MILLRACE_SERVE_CONTEXT_CACHE");
        assertThat(names(at(server, "volumeMounts")))
                .isEqualTo(names(at(deployment, "spec", "template", "spec", "volumes")))
                .containsExactly("tmp", "models", "tokens");
    }

    @Test
    void whatIsOffByDefaultConcernsThePodsOfTheDeployment() throws IOException {
        var values = with("disruption", Map.of("enabled", true, "minAvailable", 1));
        values.put(
                "networkPolicy",
                Map.of(
                        "enabled",
                        true,
                        "clients",
                        List.of(Map.of("namespaceSelector", Map.of("matchLabels", Map.of("team", "a")))),
                        "metrics",
                        List.of()));
        values.put("tokenSecret", "keys");
        values.put(
                "serviceMonitor",
                Map.of("enabled", true, "interval", "15s", "labels", Map.of("release", "prom"), "tokenKey", "metrics"));
        var objects = chart.render(values);
        Object pods = at(objects.get("Deployment"), "spec", "selector", "matchLabels");
        assertThat(at(objects.get("PodDisruptionBudget"), "spec", "selector", "matchLabels"))
                .isEqualTo(pods);
        var policy = objects.get("NetworkPolicy");
        assertThat(at(policy, "spec", "podSelector", "matchLabels")).isEqualTo(pods);
        List<String> ports = names(at(container(objects.get("Deployment")), "ports"));
        for (int rule = 0; rule < 2; rule++) {
            for (Object port : (List<?>) at(policy, "spec", "ingress", rule, "ports")) {
                assertThat(ports).contains(String.valueOf(at(port, "port")));
            }
        }
        assertThat(at(policy, "spec", "ingress", 0, "from", 0, "namespaceSelector", "matchLabels", "team"))
                .isEqualTo("a");
        assertThat(at(policy, "spec", "ingress", 1, "from")).isEqualTo(List.of());
        var monitor = objects.get("ServiceMonitor");
        assertThat(at(monitor, "metadata", "labels", "release")).isEqualTo("prom");
        assertThat(at(monitor, "spec", "selector", "matchLabels"))
                .isEqualTo(at(objects.get("Service"), "metadata", "labels"));
        assertThat(names(at(objects.get("Service"), "spec", "ports")))
                .contains(String.valueOf(at(monitor, "spec", "endpoints", 0, "port")));
        assertThat(at(monitor, "spec", "endpoints", 0, "authorization", "credentials"))
                .isEqualTo(Map.of("name", "keys", "key", "metrics"));
    }

    @Test
    void modelsComeByNameFromAStoreAndIntoACache() throws IOException {
        Map<String, Object> named = Map.of("minilm", "hf:org/minilm", "net", "s3://bucket/net.onnx");
        var values =
                with("models", Map.of("path", "/models", "claim", "", "store", "s3://bucket/models/", "named", named));
        values.put("s3", Map.of("secret", "keys", "endpoint", "http://minio:9000", "region", "eu", "anonymous", false));
        values.put("serviceAccount", "reader");
        values.put("cache", Map.of("enabled", true, "claim", "", "size", "20Gi"));
        var objects = chart.render(values);
        var deployment = objects.get("Deployment");
        Object server = container(deployment);
        assertThat((List<?>) at(server, "args"))
                .map(String::valueOf)
                .startsWith("serve", "/models", "s3://bucket/models/", "--config=/etc/millrace/serve.yaml");
        Object config = Chart.yaml(String.valueOf(at(objects.get("ConfigMap"), "data", "serve.yaml")));
        assertThat(at(config, "models")).isEqualTo(named);
        assertThat(at(deployment, "spec", "template", "spec", "serviceAccountName"))
                .isEqualTo("reader");
        assertThat(names(at(server, "env")))
                .contains("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_S3", "AWS_REGION")
                .doesNotContain("MILLRACE_S3_ANONYMOUS")
                .containsOnlyOnce("XDG_CACHE_HOME");
        Object volumes = at(deployment, "spec", "template", "spec", "volumes");
        assertThat(names(at(server, "volumeMounts")))
                .isEqualTo(names(volumes))
                .containsExactly("tmp", "fetched", "config");
        assertThat(at(volumes, 1, "emptyDir", "sizeLimit")).isEqualTo("20Gi");
        Object sum = at(deployment, "spec", "template", "metadata", "annotations", "checksum/models");
        values.put("models", Map.of("path", "/models", "claim", "", "store", "", "named", Map.of()));
        assertThat(at(
                        chart.render(values).get("Deployment"),
                        "spec",
                        "template",
                        "metadata",
                        "annotations",
                        "checksum/models"))
                .isNotEqualTo(sum);
    }

    @Test
    void autoscalingTakesThePlaceOfReplicas() throws IOException {
        var objects = chart.render(with(
                "autoscaling",
                Map.of("enabled", true, "minReplicas", 2, "maxReplicas", 9, "cpuPercent", 60, "pendingRequests", 8)));
        assertThat(Chart.object(at(objects.get("Deployment"), "spec"))).doesNotContainKey("replicas");
        var scaler = objects.get("HorizontalPodAutoscaler");
        assertThat(at(scaler, "spec", "scaleTargetRef", "name"))
                .isEqualTo(at(objects.get("Deployment"), "metadata", "name"));
        assertThat(at(scaler, "spec", "metrics", 1, "pods", "metric", "name"))
                .isEqualTo("nv_inference_pending_request_count");
        assertThat(at(scaler, "spec", "metrics", 1, "pods", "target", "averageValue"))
                .isEqualTo("8");
    }

    @Test
    void theSchemaDescribesAllValues() throws IOException {
        // JSON is YAML
        assertDescribed(chart.values(), Chart.yaml(chart.file("values.schema.json")));
    }

    private static void assertDescribed(Map<String, Object> values, Object schema) {
        Map<String, Object> properties = Chart.object(at(schema, "properties"));
        assertThat(properties.keySet()).containsAll(values.keySet());
        values.forEach((name, value) -> {
            Map<String, Object> property = Chart.object(properties.get(name));
            if (property.containsKey("properties")) {
                assertDescribed(Chart.object(value), property);
            } else if (property.containsKey("type")) {
                String type = switch (value) {
                    case String _ -> "string";
                    case Boolean _ -> "boolean";
                    case Integer _ -> "integer";
                    case List<?> _ -> "array";
                    default -> "object";
                };
                assertThat(property).as(name).containsEntry("type", type);
            } else {
                assertThat((List<?>) at(property, "enum")).as(name).anyMatch(value::equals);
            }
        });
    }

    @Test
    void theRuntimeForKServeKeepsItsContract() throws IOException {
        Object runtime = Chart.yaml(Files.readString(Path.of("kserve", "cluster-serving-runtime.yaml")));
        assertThat(at(runtime, "kind")).isEqualTo("ClusterServingRuntime");
        assertThat(at(runtime, "spec", "protocolVersions")).isEqualTo(List.of("v2", "grpc-v2"));
        assertThat(at(runtime, "spec", "supportedModelFormats", 0, "name")).isEqualTo("onnx");
        Object server = at(runtime, "spec", "containers", 0);
        assertThat(at(server, "name")).isEqualTo("kserve-container");
        assertThat(at(server, "args"))
                .isEqualTo(List.of("serve", "/mnt/models", "--http-port=8080", "--grpc-port=9000"));
        assertThat(at(server, "ports", 0, "containerPort")).isEqualTo(8080);
        assertThat(at(server, "securityContext", "runAsNonRoot")).isEqualTo(true);
    }

    @Test
    void flagsAndVariablesAreThoseOfTheCommand() throws IOException {
        var flags = new TreeSet<String>();
        try (Stream<Path> files = Files.walk(Path.of("."))) {
            for (Path file : files.filter(each -> each.toString().matches("\\./(helm|kserve|image)/.*"))
                    .filter(Files::isRegularFile)
                    .toList()) {
                String text = Files.readString(file);
                Pattern.compile("- \"?(--[a-z-]+)").matcher(text).results().forEach(found -> flags.add(found.group(1)));
                Pattern.compile("MILLRACE_SERVE_([A-Z_]+)")
                        .matcher(text)
                        .results()
                        .forEach(found ->
                                flags.add("--" + found.group(1).toLowerCase().replace('_', '-')));
            }
        }
        assertThat(flags).contains("--http-port", "--telemetry", "--host", "--context-cache");
        String guide = Files.readString(Path.of("..", "docs", "guide", "command.md"));
        assertThat(flags).allMatch(guide::contains);
    }
}
