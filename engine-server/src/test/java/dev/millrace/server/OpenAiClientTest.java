package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.errors.NotFoundException;
import com.openai.errors.UnauthorizedException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.models.Model;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests OpenAI's endpoints by OpenAI's own client for Java, which checks answers by {@code validate}. */
class OpenAiClientTest {
    @TempDir
    static Path folder;

    private static ModelServer server;
    private static OpenAIClient client;

    @BeforeAll
    static void start() {
        new TestRepository(folder).mill();
        server = ModelServer.start(TestServers.options(folder).token("secret").build());
        client = client("secret");
    }

    private static OpenAIClient client(String key) {
        return OpenAIOkHttpClient.builder()
                .baseUrl("http://127.0.0.1:" + server.httpPort() + "/v1")
                .apiKey(key)
                .maxRetries(0)
                .build();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static ChatCompletionCreateParams.Builder chat() {
        return ChatCompletionCreateParams.builder().model("mill").addUserMessage("one");
    }

    @Test
    void itListsModels() {
        assertThat(client.models().list().items()).extracting(Model::id).containsExactly("mill");
        assertThat(client.models().retrieve("mill").validate().ownedBy()).isEqualTo("millrace");
    }

    @Test
    void itChatsAtOnce() {
        ChatCompletion answer = client.chat()
                .completions()
                .create(chat().logprobs(true).topLogprobs(2).seed(1).build())
                .validate();
        ChatCompletion.Choice choice = answer.choices().getFirst();
        assertThat(choice.message().content()).contains("the mill runs");
        assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.STOP);
        assertThat(choice.logprobs().orElseThrow().content().orElseThrow()).hasSize(4);
        assertThat(answer.usage().orElseThrow().completionTokens()).isEqualTo(4);
    }

    @Test
    void itChatsByAStream() {
        var options = ChatCompletionStreamOptions.builder().includeUsage(true).build();
        try (var answer = client.chat()
                .completions()
                .createStreaming(chat().streamOptions(options).build())) {
            List<ChatCompletionChunk> chunks =
                    answer.stream().map(ChatCompletionChunk::validate).toList();
            String text = String.join(
                    "",
                    chunks.stream()
                            .flatMap(each -> each.choices().stream())
                            .flatMap(each -> each.delta().content().stream())
                            .toList());
            assertThat(text).isEqualTo("the mill runs");
            assertThat(chunks.getLast().usage().orElseThrow().totalTokens()).isPositive();
        }
    }

    @Test
    void itCompletes() {
        var prompt =
                CompletionCreateParams.builder().model("mill").prompt("one bot").build();
        assertThat(client.completions()
                        .create(prompt)
                        .validate()
                        .choices()
                        .getFirst()
                        .text())
                .isEqualTo(" the mill runs");
    }

    @Test
    void itTellsFailuresByItsExceptions() {
        var gone = chat().model("gone").build();
        assertThatThrownBy(() -> client.chat().completions().create(gone))
                .isInstanceOf(NotFoundException.class)
                .hasMessage("404: there is no model 'gone'");
        var unknown =
                chat().putAdditionalBodyProperty("n", JsonValue.from("many")).build();
        assertThatThrownBy(() -> client.chat().completions().create(unknown)).hasMessageStartingWith("400: ");
        OpenAIClient stranger = client("other");
        assertThatThrownBy(() -> stranger.models().list()).isInstanceOf(UnauthorizedException.class);
        stranger.close();
    }
}
