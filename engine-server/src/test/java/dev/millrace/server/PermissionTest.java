package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import dev.millrace.graph.EngineException;
import dev.millrace.server.protocol.LogSettingsRequest;
import dev.millrace.server.protocol.LogSettingsResponse;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ModelMetadataRequest;
import dev.millrace.server.protocol.ModelMetadataResponse;
import dev.millrace.server.protocol.RepositoryIndexRequest;
import dev.millrace.server.protocol.RepositoryIndexResponse;
import dev.millrace.server.protocol.RepositoryModelLoadRequest;
import dev.millrace.server.protocol.RepositoryModelLoadResponse;
import dev.millrace.server.protocol.RepositoryModelUnloadRequest;
import dev.millrace.server.protocol.RepositoryModelUnloadResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests tokens that are limited to some models. */
class PermissionTest {
    private static final String ROW = TestRequests.row("x", 1);

    @TempDir
    static Path folder;

    private static ModelServer server;
    private static RestClient client;
    private static GrpcClient grpc;

    @BeforeAll
    static void start() throws Exception {
        new TestRepository(folder.resolve("models"))
                .version("a-one", 1, ServerModels.plus(1, 1))
                .version("a-two", 1, ServerModels.plus(1, 1))
                .version("b", 1, ServerModels.plus(1, 1));
        Path file = Files.writeString(folder.resolve("tokens"), """
            # tokens of teams
            root
            user   infer=a-*
            keeper infer=b admin=a-one
            """);
        server = ModelServer.start(TestServers.options(folder.resolve("models"))
                .control(ControlMode.EXPLICIT)
                .loaded("a-one", "a-two", "b")
                .tokens(AccessToken.read(file).toArray(new AccessToken[0]))
                .build());
        client = new RestClient(server);
        grpc = new GrpcClient(server);
    }

    @AfterAll
    static void stop() {
        grpc.close();
        client.close();
        server.close();
    }

    private static RestClient.Answer send(String token, String method, String path, String body) {
        var publisher = method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        return client.send(HttpRequest.newBuilder(client.uri(path))
                .method(method, publisher)
                .header("Authorization", "Bearer " + token)
                .build());
    }

    @ParameterizedTest
    @CsvSource({
        "other,  GET,  v2,                                401",
        "user,   GET,  v2,                                200",
        "user,   POST, v2/models/a-one/infer,             200",
        "user,   POST, v2/models/a-two/versions/1/infer,  200",
        "user,   POST, v2/models/b/infer,                 403",
        "user,   POST, v2/models/b/versions/1/infer,      403",
        "user,   POST, v2/models/gone/infer,              403",
        "user,   POST, v2/models/b/generate,              403",
        "user,   POST, v2/models/b/generate_stream,       403",
        "user,   GET,  v2/models/b,                       403",
        "user,   GET,  v2/models/b/config,                403",
        "user,   GET,  v2/models/b/ready,                 403",
        "user,   GET,  v2/models/b/stats,                 403",
        "user,   GET,  v2/models/a-one/stats,             200",
        "user,   GET,  v1/models/b,                       403",
        "user,   GET,  v1/models/a-one,                   200",
        "user,   POST, v2/repository/models/a-one/load,   403",
        "user,   POST, v2/repository/models/a-one/unload, 403",
        "user,   GET,  metrics,                           403",
        "user,   GET,  v2/logging,                        403",
        "user,   POST, v2/logging,                        403",
        "root,   GET,  metrics,                           200",
        "root,   GET,  v2/logging,                        200",
        "root,   POST, v2/models/b/infer,                 200",
        "keeper, POST, v2/models/b/infer,                 200",
        "keeper, POST, v2/models/a-one/infer,             403",
        "keeper, GET,  v2/models/a-one,                   200",
        "keeper, GET,  v2/models/a-two,                   403",
        "keeper, POST, v2/repository/models/b/load,       403",
    })
    void restAnswersWhatTheTokenPermits(String token, String method, String path, int status) {
        String body = path.endsWith("infer") ? ROW : "{}";
        assertThat(send(token, method, path, body).status()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({"v1/embeddings", "v1/rerank", "v1/completions", "v1/chat/completions"})
    void endpointsThatNameTheModelInTheBodyAreChecked(String path) {
        assertThat(send("user", "POST", path, "{\"model\": \"b\"}").status()).isEqualTo(403);
        assertThat(send("user", "POST", path, "{\"model\": \"a-one\"}").status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource({"GET, v2/models/stats", "POST, v2/repository/index", "GET, v1/models", "GET, ui/state"})
    void listsLeaveOutOtherModels(String method, String path) {
        assertThat(send("user", method, path, "{}").body())
                .contains("\"a-one\"", "\"a-two\"")
                .doesNotContain("\"b\"");
        assertThat(send("root", method, path, "{}").body()).contains("\"a-one\"", "\"b\"");
    }

    @Test
    void recentRequestsLeaveOutOtherModelsAndThoseOfStrangers() {
        send("root", "POST", "v2/models/a-two/infer", ROW);
        send("root", "POST", "v2/models/b/infer", ROW);
        send("other", "POST", "v2/models/stranger/infer", ROW);
        assertThat(send("root", "GET", "ui/requests", "").body())
                .contains("\"a-two\"", "\"b\"")
                .doesNotContain("stranger");
        assertThat(send("user", "GET", "ui/requests", "").body())
                .contains("\"a-two\"")
                .doesNotContain("\"b\"");
    }

    @Test
    void aKeeperLoadsItsModelAndNoOther() {
        assertThat(send("keeper", "POST", "v2/repository/models/a-one/load", "{}")
                        .status())
                .isEqualTo(200);
        String dependents = "{\"parameters\": {\"unload_dependents\": true}}";
        assertThat(send("keeper", "POST", "v2/repository/models/a-one/unload", dependents)
                        .status())
                .isEqualTo(403);
    }

    private static <A extends Message> A call(String token, String method, Message request, A answer) {
        return grpc.call(method, request, answer, 20_000, token);
    }

    private static void assertDenied(String token, String method, Message request, Message answer) {
        assertThatThrownBy(() -> call(token, method, request, answer))
                .as(method)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED));
    }

    @Test
    void grpcAnswersWhatTheTokenPermits() {
        var metadata = ModelMetadataResponse.getDefaultInstance();
        assertThat(call(
                                "user",
                                "ModelMetadata",
                                ModelMetadataRequest.newBuilder()
                                        .setName("a-one")
                                        .build(),
                                metadata)
                        .getName())
                .isEqualTo("a-one");
        assertDenied(
                "user",
                "ModelMetadata",
                ModelMetadataRequest.newBuilder().setName("b").build(),
                metadata);
        assertDenied(
                "user",
                "ModelInfer",
                ModelInferRequest.newBuilder().setModelName("b").build(),
                ModelInferResponse.getDefaultInstance());
        assertDenied(
                "user",
                "RepositoryModelLoad",
                RepositoryModelLoadRequest.newBuilder().setModelName("a-one").build(),
                RepositoryModelLoadResponse.getDefaultInstance());
        assertDenied(
                "user",
                "RepositoryModelUnload",
                RepositoryModelUnloadRequest.newBuilder().setModelName("a-one").build(),
                RepositoryModelUnloadResponse.getDefaultInstance());
        assertDenied(
                "user",
                "LogSettings",
                LogSettingsRequest.getDefaultInstance(),
                LogSettingsResponse.getDefaultInstance());
        assertThat(call(
                                "user",
                                "RepositoryIndex",
                                RepositoryIndexRequest.getDefaultInstance(),
                                RepositoryIndexResponse.getDefaultInstance())
                        .getModelsList())
                .extracting(each -> each.getName())
                .containsExactly("a-one", "a-two");
    }

    @Test
    void filesOfTokensAreChecked() throws Exception {
        assertThat(AccessToken.read(Files.writeString(folder.resolve("one"), "secret\n")))
                .isEqualTo(List.of(AccessToken.ofEverything("secret")));
        assertThat(AccessToken.ofEverything("secret").toString()).doesNotContain("secret");
        for (String wrong : List.of("", "# none", "a b", "a infer", "a\na")) {
            Path file = Files.writeString(folder.resolve("wrong"), wrong);
            assertThatThrownBy(() -> AccessToken.read(file)).isInstanceOf(EngineException.class);
        }
    }
}
