package dev.millrace.server;

import static dev.millrace.server.TestTraces.attribute;
import static dev.millrace.server.TestTraces.named;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ModelStreamInferResponse;
import dev.millrace.server.protocol.ServerLiveRequest;
import dev.millrace.server.protocol.ServerLiveResponse;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that requests by both protocols become spans of their callers' traces. */
class TracingTest {
    private static final String ROW = TestRequests.row("x", 1);
    private static final String HTTP = "POST /v2/models/*/infer";
    private static final String CALL = "inference.GRPCInferenceService/ModelInfer";

    @TempDir
    static Path folder;

    private static TestTraces traces;
    private static ModelServer server;
    private static RestClient client;

    @BeforeAll
    static void start() {
        new TestRepository(folder)
                .version("batched", 1, ServerModels.plus(1, 1))
                .config("batched", "max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 1000 }")
                .version("loop", 1, ServerModels.loop())
                .twice();
        traces = new TestTraces();
        server = ModelServer.start(
                TestServers.options(folder).observations(traces.registry()).build());
        client = new RestClient(server);
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
        traces.close();
    }

    @BeforeEach
    void forget() {
        traces.clear();
    }

    private static RestClient.Answer post(String path, String body) {
        return client.post(path, body.getBytes(StandardCharsets.UTF_8), Map.of("traceparent", TestTraces.HEADER));
    }

    private static void assertIsOfCaller(SpanData span) {
        assertThat(span.getTraceId()).isEqualTo(TestTraces.TRACE);
        assertThat(span.getParentSpanId()).isEqualTo(TestTraces.PARENT);
        assertThat(span.getKind()).isEqualTo(SpanKind.SERVER);
    }

    @Test
    void aRequestByRestGoesOnWithTheCallersTrace() {
        assertThat(post("v2/models/plus/infer", ROW).status()).isEqualTo(200);
        List<SpanData> spans = traces.await(3);
        SpanData request = named(spans, HTTP);
        assertIsOfCaller(request);
        assertThat(attribute(request, "http.request.method")).isEqualTo("POST");
        assertThat(attribute(request, "http.route")).isEqualTo("/v2/models/*/infer");
        assertThat(attribute(request, "http.response.status_code")).isEqualTo("200");
        assertThat(attribute(request, "url.path")).isEqualTo("/v2/models/plus/infer");
        assertThat(request.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
        SpanData queue = named(spans, "queue plus");
        SpanData run = named(spans, "run plus");
        for (SpanData child : List.of(queue, run)) {
            assertThat(child.getParentSpanId()).isEqualTo(request.getSpanId());
            assertThat(attribute(child, "session")).isEqualTo("plus");
        }
        assertThat(queue.getEndEpochNanos()).isLessThanOrEqualTo(run.getStartEpochNanos());
    }

    @Test
    void aRequestWithoutATraceBeginsOne() {
        client.post("v2/models/plus/infer", ROW);
        SpanData request = named(traces.await(3), HTTP);
        assertThat(request.getParentSpanContext().isValid()).isFalse();
    }

    @Test
    void aCallByGrpcGoesOnWithTheCallersTrace() throws Exception {
        try (var grpc = new GrpcClient(server)) {
            grpc.call("ServerLive", ServerLiveRequest.getDefaultInstance(), ServerLiveResponse.getDefaultInstance());
            traces.await(1);
            traces.clear();
            grpc.call(
                    "ModelInfer",
                    TestRequests.message("plus"),
                    ModelInferResponse.getDefaultInstance(),
                    TestTraces.HEADER);
            List<SpanData> spans = traces.await(3);
            SpanData call = named(spans, CALL);
            assertIsOfCaller(call);
            assertThat(attribute(call, "rpc.system.name")).isEqualTo("grpc");
            assertThat(attribute(call, "rpc.method")).isEqualTo(CALL);
            assertThat(attribute(call, "rpc.response.status_code")).isEqualTo("OK");
            assertThat(named(spans, "run plus").getParentSpanId()).isEqualTo(call.getSpanId());
            traces.clear();
            var ended = new CompletableFuture<Void>();
            StreamObserver<ModelInferRequest> requests = grpc.exchange(
                    "ModelStreamInfer",
                    ModelInferRequest.getDefaultInstance(),
                    ModelStreamInferResponse.getDefaultInstance(),
                    new StreamObserver<>() {
                        @Override
                        public void onNext(ModelStreamInferResponse answer) {}

                        @Override
                        public void onError(Throwable failure) {
                            ended.completeExceptionally(failure);
                        }

                        @Override
                        public void onCompleted() {
                            ended.complete(null);
                        }
                    });
            requests.onNext(TestRequests.message("plus"));
            requests.onNext(TestRequests.message("plus"));
            requests.onCompleted();
            ended.get(20, TimeUnit.SECONDS);
            spans = traces.await(5);
            SpanData exchange = named(spans, "inference.GRPCInferenceService/ModelStreamInfer");
            assertThat(spans.stream().filter(each -> each.getParentSpanId().equals(exchange.getSpanId())))
                    .hasSize(4);
        }
    }

    @Test
    void failuresOfTheServerMarkSpansAndThoseOfTheClientDoNot() {
        assertThat(post("v2/models/plus/infer", "{\"inputs\": []}").status()).isEqualTo(400);
        SpanData refused = named(traces.await(1), HTTP);
        assertThat(attribute(refused, "http.response.status_code")).isEqualTo("400");
        assertThat(refused.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
        traces.clear();
        assertThat(post("v2/models/loop/infer", TestRequests.loops(Long.MAX_VALUE, 300_000))
                        .status())
                .isEqualTo(504);
        List<SpanData> spans = traces.await(3);
        SpanData late = named(spans, HTTP);
        assertThat(attribute(late, "http.response.status_code")).isEqualTo("504");
        assertThat(late.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(named(spans, "run loop").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        traces.clear();
        assertThat(post("v2/nothing", "").status()).isEqualTo(404);
        assertThat(attribute(named(traces.await(1), "POST"), "http.response.status_code"))
                .isEqualTo("404");
        traces.clear();
        try (var grpc = new GrpcClient(server)) {
            assertThatThrownBy(() -> grpc.call(
                            "ModelInfer", TestRequests.message("gone"), ModelInferResponse.getDefaultInstance()))
                    .isInstanceOf(StatusRuntimeException.class);
            SpanData gone = named(traces.await(1), CALL);
            assertThat(attribute(gone, "rpc.response.status_code")).isEqualTo("NOT_FOUND");
            assertThat(gone.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
        }
    }

    @Test
    void aClientThatGoesAwayEndsItsSpans() {
        var sent = client.later("v2/models/loop/infer", TestRequests.loops(Long.MAX_VALUE, 600_000_000));
        assertThat(named(traces.await(1), "queue loop").hasEnded()).isTrue();
        sent.cancel(true);
        List<SpanData> spans = traces.await(3);
        assertThat(attribute(named(spans, HTTP), "http.response.status_code")).isEqualTo("499");
        assertThat(named(spans, "run loop").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    }

    @Test
    void eachRequestOfABatchHasItsSpans() {
        client.postAtOnce(50, "v2/models/batched/infer", ROW);
        List<SpanData> spans = traces.await(150);
        assertThat(spans.stream().filter(each -> each.getName().equals("run batched")))
                .hasSize(50)
                .extracting(SpanData::getParentSpanId)
                .doesNotHaveDuplicates();
    }

    @Test
    void stepsOfAnEnsembleAreBelowItsRequest() {
        assertThat(post("v2/models/twice/infer", ROW).status()).isEqualTo(200);
        List<SpanData> spans = traces.await(5);
        String request = named(spans, HTTP).getSpanId();
        assertThat(spans.stream().filter(each -> each.getName().equals("run plus")))
                .hasSize(2)
                .allMatch(each -> each.getParentSpanId().equals(request));
    }

    @Test
    void healthAndMetricsAreNotObserved() {
        client.get("v2/health/ready");
        client.get("metrics");
        client.get("v2/models/plus");
        assertThat(traces.await(1)).extracting(SpanData::getName).containsExactly("GET /v2/models/*");
    }
}
