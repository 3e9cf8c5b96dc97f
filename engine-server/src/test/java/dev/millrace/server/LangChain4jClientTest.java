package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests OpenAI's endpoints by a client of others: LangChain4j's. */
class LangChain4jClientTest {
    @TempDir
    static Path folder;

    private static ModelServer server;
    private static String base;

    @BeforeAll
    static void start() throws IOException {
        new TestRepository(folder)
                .mill()
                .write("minilm/1/model.onnx", resource("/all-minilm-l6-v2.onnx"))
                .write("minilm/1/tokenizer.json", resource("/all-minilm-l6-v2-tokenizer.json"));
        server = ModelServer.start(TestServers.options(folder).token("secret").build());
        base = "http://127.0.0.1:" + server.httpPort() + "/v1";
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(LangChain4jClientTest.class.getResourceAsStream(name))) {
            return in.readAllBytes();
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void itGetsVectors() {
        var model = OpenAiEmbeddingModel.builder()
                .baseUrl(base)
                .apiKey("secret")
                .modelName("minilm")
                .build();
        var response = model.embedAll(List.of(TextSegment.from("a mill"), TextSegment.from("water")));
        assertThat(response.content()).hasSize(2);
        float[] vector = response.content().getFirst().vector();
        assertThat(vector).hasSize(384);
        double length = 0;
        for (float each : vector) {
            length += each * each;
        }
        assertThat(length).isCloseTo(1, within(1e-4));
        assertThat(Objects.requireNonNull(response.tokenUsage()).inputTokenCount())
                .isEqualTo(7);
    }

    @Test
    void itChatsAtOnceAndByAStream() throws Exception {
        var model = OpenAiChatModel.builder()
                .baseUrl(base)
                .apiKey("secret")
                .modelName("mill")
                .build();
        ChatResponse answer = model.chat(UserMessage.from("one"));
        assertThat(answer.aiMessage().text()).isEqualTo("the mill runs");
        assertThat(answer.tokenUsage().outputTokenCount()).isEqualTo(4);
        var parts = new StringBuilder();
        var whole = new CompletableFuture<ChatResponse>();
        OpenAiStreamingChatModel.builder()
                .baseUrl(base)
                .apiKey("secret")
                .modelName("mill")
                .build()
                .chat("one", new StreamingChatResponseHandler() {
                    @Override
                    public void onPartialResponse(String part) {
                        parts.append(part);
                    }

                    @Override
                    public void onCompleteResponse(ChatResponse response) {
                        whole.complete(response);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        whole.completeExceptionally(failure);
                    }
                });
        assertThat(whole.get(30, TimeUnit.SECONDS).aiMessage().text()).isEqualTo("the mill runs");
        assertThat(parts).hasToString("the mill runs");
    }
}
