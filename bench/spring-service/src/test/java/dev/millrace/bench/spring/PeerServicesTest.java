package dev.millrace.bench.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.bench.nets.SmallSum;
import dev.millrace.bench.server.PeerService;
import dev.millrace.bench.server.PlainModels;
import dev.millrace.cli.UsageException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the services that the model server is measured against. */
class PeerServicesTest {
    private static final int OK = 200;
    /** More requests than Tomcat answers on one connection by default. */
    private static final int REQUESTS = 200;

    @TempDir
    private Path repository;

    private static byte[] bytes(float... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(numbers);
        return bytes.array();
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "spring"})
    void aServiceAnswersOverOneConnection(String name) throws Exception {
        Path version = Files.createDirectories(repository.resolve("add8/1"));
        Files.move(SmallSum.in(version), version.resolve("model.onnx"));
        byte[] body = bytes(1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 30, 40, 50, 60, 70, 80);
        try (var models = new PlainModels(repository);
                PeerService.Running service = PeerService.named(name).start(models);
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + "/add8"))
                    .POST(BodyPublishers.ofByteArray(body))
                    .build();
            for (int i = 0; i < REQUESTS; i++) {
                HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
                assertThat(answer.statusCode()).isEqualTo(OK);
                assertThat(answer.body()).isEqualTo(bytes(11, 22, 33, 44, 55, 66, 77, 88));
                assertThat(answer.headers().firstValue("connection")).isEmpty();
            }
        }
    }

    @Test
    void anUnknownServiceIsRefused() {
        assertThatThrownBy(() -> PeerService.named("none"))
                .isInstanceOf(UsageException.class)
                .hasMessage("--peer is one of jdk, spring, not none");
    }
}
