package dev.millrace.server;

import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.TextModel;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelInput;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.server.tensor.JsonTree;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** The requests that prepare caches: some of each model, with texts or with inputs of zeros, by the server's own ports. */
final class FirstRequests {
    private static final int ROUNDS = 5;
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final String BINARY_SIZE = "binary_data_size";

    private final HttpClient client;
    private final int grpcPort;

    FirstRequests(int httpPort, int grpcPort) {
        client = HttpClient.newConnection().baseUrl("http://127.0.0.1:" + httpPort);
        this.grpcPort = grpcPort;
    }

    /** A request, and the length of the JSON document that its body begins with. */
    private record First(String path, byte[] body, int document) {
        static First json(String path, Map<String, Object> tree) {
            byte[] body = JsonTree.bytes(tree);
            return new First(path, body, body.length);
        }
    }

    /** Sends the requests, and returns a sentence about each model whose request failed. */
    List<String> send(List<LoadedVersion> versions) {
        var failures = new ArrayList<String>();
        ask("/v2/health/ready");
        ask("/metrics");
        askByGrpc();
        for (LoadedVersion version : versions) {
            for (First request : requests(version)) {
                for (int i = 0; i < ROUNDS; i++) {
                    String failure = answer(request);
                    if (failure != null) {
                        failures.add("model '" + version.name() + "' version " + version.version() + ": " + failure);
                        break;
                    }
                }
            }
        }
        return failures;
    }

    private void ask(String path) {
        client.get().uri(path).response().block(LONGEST);
    }

    private void askByGrpc() {
        var channel = NettyChannelBuilder.forAddress("127.0.0.1", grpcPort)
                .usePlaintext()
                .build();
        try {
            HealthGrpc.newBlockingStub(channel).check(HealthCheckRequest.getDefaultInstance());
        } finally {
            channel.shutdownNow();
        }
    }

    private @Nullable String answer(First request) {
        String failure = client.headers(
                        headers -> headers.set("Inference-Header-Content-Length", Integer.toString(request.document)))
                .post()
                .uri(request.path)
                .send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(request.body)))
                .responseSingle((response, body) -> response.status().code() == HttpResponseStatus.OK.code()
                        ? body.asByteArray().map(_ -> "").defaultIfEmpty("")
                        : body.asString())
                .block(LONGEST);
        return Objects.requireNonNullElse(failure, "").isEmpty() ? null : failure;
    }

    private static List<First> requests(LoadedVersion version) {
        TextModel text = version.model().text();
        if (text == null) {
            return List.of(zeros(version));
        }
        var requests = new ArrayList<First>();
        if (text.generates() != null) {
            requests.add(First.json(
                    "/v1/completions", Map.of("model", version.name(), "prompt", "A mill", "max_tokens", 8)));
        }
        if (text.embeds() != null) {
            requests.add(First.json(
                    "/v1/embeddings",
                    Map.of("model", version.name(), "input", List.of("a mill", "The water drives the wheel."))));
        }
        if (text.ranks() != null) {
            requests.add(First.json(
                    "/v1/rerank",
                    Map.of("model", version.name(), "query", "a mill", "documents", List.of("water", "wind"))));
        }
        return requests;
    }

    private static First zeros(LoadedVersion version) {
        ModelConfig config = version.model().config();
        List<ZeroInput> inputs = config.getInputList().stream()
                .map(each -> ZeroInput.of(each, config.getMaxBatchSize() > 0))
                .toList();
        Map<String, Object> parameters = config.hasSequenceBatching()
                ? Map.of("sequence_id", 1, "sequence_start", true, "sequence_end", true)
                : Map.of();
        byte[] document = JsonTree.bytes(Map.of(
                "inputs", inputs.stream().map(ZeroInput::tree).toList(),
                "parameters", parameters,
                "outputs", outputs(config)));
        var body = new ByteArrayOutputStream();
        body.writeBytes(document);
        body.writeBytes(new byte[inputs.stream().mapToInt(ZeroInput::bytes).sum()]);
        String path = "/v2/models/" + version.name() + "/versions/" + version.version() + "/infer";
        return new First(path, body.toByteArray(), document.length);
    }

    /** An input whose bytes are zeros. Its open extents are 1. */
    private record ZeroInput(String name, Datatype type, List<Long> shape) {
        static ZeroInput of(ModelInput input, boolean isBatched) {
            var shape = new ArrayList<Long>();
            if (isBatched) {
                shape.add(1L);
            }
            input.getDimsList().forEach(extent -> shape.add(extent < 0 ? 1 : extent));
            return new ZeroInput(input.getName(), Objects.requireNonNull(Datatype.of(input.getDataType())), shape);
        }

        int bytes() {
            int count = (int) shape.stream().mapToLong(each -> each).reduce(1, (a, b) -> a * b);
            // a string has its length before it
            return type == Datatype.BYTES
                    ? count * Integer.BYTES
                    : (int) type.element().bytes(count);
        }

        Map<String, Object> tree() {
            return Map.of(
                    "name", name, "datatype", type.name(), "shape", shape, "parameters", Map.of(BINARY_SIZE, bytes()));
        }
    }

    private static List<Object> outputs(ModelConfig config) {
        return config.getOutputList().stream()
                .<Object>map(each -> Map.of("name", each.getName(), "parameters", Map.of("binary_data", true)))
                .toList();
    }
}
