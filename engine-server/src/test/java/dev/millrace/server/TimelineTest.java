package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.server.protocol.ModelInferResponse;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the times of recent requests, which the page for operators asks for. */
class TimelineTest {
    private static final String ROW = TestRequests.row("x", 1);

    @TempDir
    static Path folder;

    @AutoClose
    private static RestClient client;

    @BeforeAll
    static void start() throws IOException {
        new TestRepository(folder)
                .mill()
                .version("minilm", 1, TextServerTest.resource("/all-minilm-l6-v2.onnx"))
                .write("minilm/1/tokenizer.json", TextServerTest.resource("/all-minilm-l6-v2-tokenizer.json"))
                .joined()
                .version("loop", 1, ServerModels.loop())
                .twice();
        client = RestClient.ofOwnServer(folder);
    }

    private static List<Json> requests() {
        return Json.read(client.get("ui/requests").body()).each().toList();
    }

    /** Waits for a request that is so, and returns the newest one. */
    private static Json awaited(Predicate<Json> wanted) {
        for (int i = 0; i < 1000; i++) {
            for (Json each : requests()) {
                if (wanted.test(each)) {
                    return each;
                }
            }
        }
        throw new AssertionError("no such request among " + requests());
    }

    /** Returns a request that has ended: an answer may reach its client before its times are complete. */
    private static Json ended(Predicate<Json> wanted) {
        return awaited(each -> wanted.test(each) && each.at("endMicros").value() != null);
    }

    private static Json ended(String model) {
        return ended(each -> each.at("model").text().equals(model));
    }

    private static List<String> parts(Json request) {
        return request.at("parts").each().map(each -> each.at("kind").text()).toList();
    }

    private static double micros(Json part, String end) {
        return Double.parseDouble(part.at(end).text());
    }

    @Test
    void theTimesOfARequestFollowEachOther() {
        assertThat(client.post("v2/models/plus/versions/1/infer", ROW).status()).isEqualTo(200);
        Json request = ended("plus");
        assertThat(request.at("operation").text()).isEqualTo("infer");
        assertThat(request.at("protocol").text()).startsWith("HTTP/");
        assertThat(request.at("version").text()).isEqualTo("1");
        assertThat(request.at("status").text()).isEqualTo("200");
        assertThat(request.at("rows").number()).isEqualTo(1);
        assertThat(parts(request)).containsExactly("read", "queue", "run", "answer", "write");
        double before = 0;
        for (Json part : request.at("parts").each().toList()) {
            assertThat(micros(part, "from")).isGreaterThanOrEqualTo(before);
            assertThat(micros(part, "to")).isGreaterThanOrEqualTo(micros(part, "from"));
            before = micros(part, "from");
        }
        assertThat(micros(request, "endMicros")).isGreaterThanOrEqualTo(before);
    }

    @Test
    void aRequestKnowsItsBatch() {
        for (int round = 0; round < 100; round++) {
            client.postAtOnce(20, "v2/models/joined/infer", ROW);
            if (requests().stream().anyMatch(each -> each.at("batch").number() == 2)) {
                break;
            }
        }
        Json request = ended(each -> each.at("batch").number() == 2);
        assertThat(parts(request)).containsExactly("read", "queue", "batch", "run", "answer", "write");
        assertThat(request.at("parts").text()).contains("batch of 2 waits");
    }

    @Test
    void stepsOfAnEnsembleAreParts() {
        assertThat(client.post("v2/models/twice/infer", ROW).status()).isEqualTo(200);
        Json request = ended("twice");
        assertThat(parts(request)).containsExactly("read", "queue", "run", "queue", "run", "answer", "write");
        assertThat(request.at("parts").text()).contains("run of plus");
    }

    @Test
    void aGenerationHasItsTokens() {
        String body = "{\"model\": \"mill\", \"max_tokens\": 3, \"stream\": true,"
                + " \"messages\": [{\"role\": \"user\", \"content\": \"one\"}]}";
        assertThat(client.post("v1/chat/completions", body).status()).isEqualTo(200);
        Json chat = ended(each -> each.at("operation").text().equals("chat"));
        assertThat(chat.at("model").text()).isEqualTo("mill");
        assertThat(chat.at("version").text()).isEqualTo("1");
        assertThat(chat.at("promptTokens").number()).isEqualTo(2);
        assertThat(chat.at("tokens").number()).isEqualTo(3);
        assertThat(micros(chat, "firstTokenMicros")).isPositive().isLessThanOrEqualTo(micros(chat, "endMicros"));
        assertThat(parts(chat)).containsExactly("read", "first", "tokens");
    }

    @Test
    void vectorsAreOnePart() {
        assertThat(client.post("v1/embeddings", "{\"model\": \"minilm\", \"input\": [\"A mill.\", \"two\"]}")
                        .status())
                .isEqualTo(200);
        Json vectors = ended("minilm");
        assertThat(vectors.at("operation").text()).isEqualTo("embeddings");
        assertThat(vectors.at("rows").number()).isEqualTo(2);
        assertThat(vectors.at("promptTokens").number()).isGreaterThan(5);
        assertThat(parts(vectors)).containsExactly("read", "run", "write");
    }

    @Test
    void callsByGrpcAreAmongThem() throws Exception {
        try (var grpc = new GrpcClient(client.server())) {
            grpc.call("ModelInfer", TestRequests.message("plus"), ModelInferResponse.getDefaultInstance());
            Json call = ended(each -> each.at("protocol").text().equals("gRPC")
                    && each.at("model").text().equals("plus"));
            assertThat(call.at("status").text()).isEqualTo("OK");
            assertThat(parts(call)).contains("read", "queue", "run", "answer", "write");
            assertThatThrownBy(() -> grpc.call(
                            "ModelInfer", TestRequests.message("gone"), ModelInferResponse.getDefaultInstance()))
                    .isInstanceOf(StatusRuntimeException.class);
            assertThat(ended("gone").at("status").text()).isEqualTo("NOT_FOUND");
        }
    }

    @Test
    void failuresAndRequestsUnderWayAreAmongThem() {
        assertThat(client.post("v2/models/none/infer", ROW).status()).isEqualTo(404);
        Json missing = ended("none");
        assertThat(missing.at("status").text()).isEqualTo("404");
        assertThat(parts(missing)).containsExactly("read", "write");
        var sent = client.later("v2/models/loop/infer", TestRequests.loops(Long.MAX_VALUE, 600_000_000));
        Json running = awaited(
                each -> each.at("model").text().equals("loop") && parts(each).contains("run"));
        assertThat(running.at("endMicros").value()).isNull();
        assertThat(running.at("soFarMicros").value()).isNotNull();
        sent.cancel(true);
        assertThat(ended("loop").at("status").text()).isEqualTo("499");
    }

    @Test
    void theNewestAreKept() {
        String longName = "n".repeat(1000);
        for (int i = 0; i < 300; i++) {
            client.post("v2/models/" + longName + "/infer", ROW);
        }
        client.get("v2/models/plus");
        client.post("v2/repository/index", "{}");
        assertThat(requests()).hasSize(256).allSatisfy(each -> {
            assertThat(each.at("operation").text()).isNotEmpty();
            assertThat(each.at("model").text()).hasSizeLessThan(250);
        });
        assertThat(requests().getFirst().at("number").number())
                .isEqualTo(requests().getLast().at("number").number() + 255);
    }
}
