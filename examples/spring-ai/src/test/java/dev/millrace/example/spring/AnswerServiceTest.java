package dev.millrace.example.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.spring.ai.TestModels;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Sends requests to the service: to its own paths, to Actuator, and while it shuts down. */
@Timeout(60)
class AnswerServiceTest {
    private static final int REQUESTS = 1_000;
    private static final int CALLERS = 16;

    @TempDir
    private static Path folder = Path.of("");

    private static Service service = new Service("", () -> {});
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** A service that listens at an address. */
    private record Service(String address, Runnable closing) {
        static Service start() {
            ConfigurableApplicationContext context = SpringApplication.run(
                    AnswerService.class,
                    "--server.port=0",
                    "--server.address=localhost",
                    "--millrace.engine.threads=2",
                    "--millrace.embedding.model=" + TestModels.embedding(folder.resolve("words")),
                    "--millrace.embedding.batch.max-size=8",
                    "--millrace.embedding.batch.padded=true",
                    "--millrace.rerank.model=" + TestModels.ranking(folder.resolve("waters")),
                    "--millrace.chat.model=" + TestModels.chat(folder.resolve("wheels")));
            String port = context.getEnvironment().getRequiredProperty("local.server.port");
            return new Service("http://localhost:" + port, context::close);
        }

        HttpResponse<String> get(String path) throws IOException, InterruptedException {
            return CLIENT.send(
                    HttpRequest.newBuilder(URI.create(address + path)).build(), BodyHandlers.ofString());
        }

        HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(json))
                    .build();
            return CLIENT.send(request, BodyHandlers.ofString());
        }
    }

    @BeforeAll
    static void start() {
        service = Service.start();
    }

    @AfterAll
    static void stop() {
        service.closing().run();
        CLIENT.close();
    }

    @Test
    void textsHaveVectorsPassagesAreRankedAndQuestionsAnswered() throws Exception {
        assertThat(service.post("/embeddings", "[\"mill race\", \"race\"]").body())
                .isEqualTo("[[0.6,0.8],[1.0,0.0]]");
        assertThat(service.post("/ranks?query=water", "[\"mill\", \"water\"]").body())
                .isEqualTo("[{\"index\":1,\"text\":\"water\",\"score\":2.0},"
                        + "{\"index\":0,\"text\":\"mill\",\"score\":1.0}]");
        Stream<String> parts = service.post("/chat", "why").body().lines().filter(line -> !line.isEmpty());
        assertThat(String.join(
                        "", parts.map(line -> line.substring("data:".length())).toList()))
                .isEqualTo("water drives wheels");
    }

    @Test
    void actuatorShowsHealthMetersAndSessionsAndReloads() throws Exception {
        assertThat(service.post("/embeddings", "[\"mill\"]").statusCode()).isEqualTo(200);
        assertThat(service.get("/actuator/health").body()).contains("\"status\":\"UP\"");
        // a request is counted when its run has ended, which may be after its answer
        String meters;
        do {
            meters = service.get("/actuator/prometheus").body();
        } while (!meters.contains("millrace_requests_seconds_count{outcome=\"OK\""));
        assertThat(meters).contains("session=\"embedding\"", "gen_ai_client_operation_seconds_count");
        assertThat(service.get("/actuator/millrace").body())
                .contains("\"threads\":2", "\"name\":\"embedding\"", "\"name\":\"rerank\"");
        HttpResponse<String> reloaded = service.post("/actuator/millrace/embedding", "{}");
        assertThat(reloaded.statusCode()).as(reloaded.body()).isEqualTo(200);
        assertThat(service.get("/actuator/millrace/gone").statusCode()).isEqualTo(404);
    }

    /** The answer to a request that was sent while the service shut down: a status, or null if there was no connection. */
    private record Answer(@Nullable HttpResponse<String> response) {}

    @Test
    void aShutdownUnderLoadFailsNoRequestThatWasAccepted() throws Exception {
        Service closing = Service.start();
        var answers = new ConcurrentLinkedQueue<Answer>();
        var some = new CountDownLatch(REQUESTS / 4);
        try (ExecutorService callers = Executors.newFixedThreadPool(CALLERS)) {
            List<CompletableFuture<Void>> sent = IntStream.range(0, REQUESTS)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> {
                                answers.add(ask(closing));
                                some.countDown();
                            },
                            callers))
                    .toList();
            assertThat(some.await(30, TimeUnit.SECONDS)).isTrue();
            closing.closing().run();
            sent.forEach(CompletableFuture::join);
        }
        assertThat(answers).hasSize(REQUESTS);
        List<HttpResponse<String>> answered =
                answers.stream().map(Answer::response).filter(Objects::nonNull).toList();
        assertThat(answered).hasSizeBetween(REQUESTS / 4, REQUESTS - 1).allSatisfy(response -> {
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("[[0.6,0.8]]");
        });
    }

    private static Answer ask(Service asked) {
        try {
            return new Answer(asked.post("/embeddings", "[\"mill race\"]"));
        } catch (IOException e) {
            return new Answer(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
