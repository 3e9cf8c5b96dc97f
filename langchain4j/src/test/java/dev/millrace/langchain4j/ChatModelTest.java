package dev.millrace.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.output.FinishReason;
import dev.millrace.text.LanguageModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chats with a model that says "water drives wheels" after everything. */
class ChatModelTest {
    private static final List<String> WORDS =
            List.of("water", "drives", "wheels", "</s>", "user", "assistant", "system", "why");
    /** The word that follows each word. */
    private static final int[] NEXT = {1, 2, 3, 3, 5, 0, 7, 7};

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void write() throws IOException {
        WordModel.write(folder, WORDS, NEXT);
    }

    private static ChatRequest.Builder request() {
        return ChatRequest.builder()
                .messages(
                        SystemMessage.from("why"),
                        UserMessage.from("why"),
                        AiMessage.from("why"),
                        UserMessage.from("why why"));
    }

    @Test
    void anAnswerHasItsTextItsTokensAndItsEnd() throws Exception {
        try (LanguageModel model = LanguageModel.open(folder)) {
            MillraceChatModel chat = MillraceChatModel.of(model);
            assertThat(chat.chat("why")).isEqualTo("water drives wheels");
            ChatResponse response = chat.chat(request().build());
            assertThat(response.aiMessage().text()).isEqualTo("water drives wheels");
            assertThat(response.finishReason()).isEqualTo(FinishReason.STOP);
            assertThat(response.tokenUsage().inputTokenCount()).isEqualTo(10);
            assertThat(response.tokenUsage().outputTokenCount()).isEqualTo(4);
            ChatResponse cut = chat.chat(request().maxOutputTokens(2).build());
            assertThat(cut.aiMessage().text()).isEqualTo("water drives");
            assertThat(cut.finishReason()).isEqualTo(FinishReason.LENGTH);
            assertThat(chat.chat(request().stopSequences(List.of("drives")).build())
                            .aiMessage()
                            .text()
                            .strip())
                    .isEqualTo("water");
            assertThat(response.modelName()).isEqualTo(model.session().name());
            assertThatThrownBy(() -> chat.chat(request().modelName("other").build()))
                    .isInstanceOf(UnsupportedFeatureException.class)
                    .hasMessageContaining("the model 'other'");
            String last = chat.chatAsync(request().build())
                    .get(1, TimeUnit.MINUTES)
                    .aiMessage()
                    .text();
            assertThat(last).isEqualTo("water drives wheels");
        }
    }

    @Test
    void anAnswerIsStreamed() throws Exception {
        try (LanguageModel model = LanguageModel.open(folder)) {
            var parts = new ArrayList<String>();
            var complete = new CompletableFuture<ChatResponse>();
            MillraceStreamingChatModel.of(model).chat(request().build(), new StreamingChatResponseHandler() {
                @Override
                public void onPartialResponse(String part) {
                    parts.add(part);
                }

                @Override
                public void onCompleteResponse(ChatResponse response) {
                    complete.complete(response);
                }

                @Override
                public void onError(Throwable error) {
                    complete.completeExceptionally(error);
                }
            });
            ChatResponse response = complete.get(1, TimeUnit.MINUTES);
            assertThat(String.join("", parts)).isEqualTo("water drives wheels");
            assertThat(parts).hasSizeGreaterThan(1);
            assertThat(response.aiMessage().text()).isEqualTo("water drives wheels");
            assertThat(response.tokenUsage().totalTokenCount()).isEqualTo(14);
        }
    }

    @Test
    void tokensOfMessagesAreCounted() {
        try (LanguageModel model = LanguageModel.open(folder)) {
            var texts = MillraceTokenCountEstimator.of(model.tokenizer());
            assertThat(texts.estimateTokenCountInText("water drives")).isEqualTo(2);
            assertThat(texts.estimateTokenCountInMessages(request().build().messages()))
                    .isEqualTo(5);
            var chats = MillraceTokenCountEstimator.of(model.tokenizer(), model.chats());
            assertThat(chats.estimateTokenCountInMessages(request().build().messages()))
                    .isEqualTo(10);
            assertThat(chats.estimateTokenCountInMessage(UserMessage.from("why")))
                    .isEqualTo(3);
        }
    }
}
