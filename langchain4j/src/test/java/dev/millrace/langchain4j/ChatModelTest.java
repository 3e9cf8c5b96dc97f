package dev.millrace.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.output.FinishReason;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.text.LanguageModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chats with a model that says "water drives wheels" after everything. */
class ChatModelTest {
    private static final int OPSET = 21;
    /** The word that follows each word: water, drives, wheels, (end), user, assistant, system, why. */
    private static final int[] NEXT = {1, 2, 3, 3, 5, 0, 7, 7};

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), """
            {"model": {"type": "WordLevel", "unk_token": "why", "vocab": {"water": 0, "drives": 1, "wheels": 2,
              "</s>": 3, "user": 4, "assistant": 5, "system": 6, "why": 7}},
             "pre_tokenizer": {"type": "Whitespace"},
             "added_tokens": [{"id": 3, "content": "</s>", "special": true}]}
            """);
        Files.writeString(
                folder.resolve("chat_template.jinja"),
                "{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}assistant");
        Files.writeString(
                folder.resolve("genai_config.json"),
                "{\"model\": {\"context_length\": 30, \"eos_token_id\": 3, \"decoder\": {\"filename\":"
                        + " \"model.onnx\"}}}");
        Files.write(folder.resolve("model.onnx"), model());
    }

    private static byte[] model() {
        float[] table = new float[NEXT.length * NEXT.length];
        for (int word = 0; word < NEXT.length; word++) {
            table[word * NEXT.length + NEXT[word]] = 1;
        }
        var editor = new GraphEditor(Graph.named("wheel"));
        SymbolicShape tokens = SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("tokens"));
        Value ids = editor.addInput("input_ids", ValueType.tensor(ElementType.INT64, tokens));
        Value rows = editor.addConstant("rows", Tensor.copyOf(table, NEXT.length, NEXT.length));
        NodeSpec gather = NodeSpec.of(OpId.onnx("Gather"), OPSET, rows, ids);
        editor.addOutput("logits", editor.append(gather, List.of("logits")).requireOutput(0));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", OPSET), Map.of(), Map.of(), editor.graph(), null));
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
    void anAnswerHasItsTextItsTokensAndItsEnd() {
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
            var tool = ToolSpecification.builder().name("clock").build();
            assertThatThrownBy(
                            () -> chat.chat(request().toolSpecifications(tool).build()))
                    .isInstanceOf(UnsupportedFeatureException.class);
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
