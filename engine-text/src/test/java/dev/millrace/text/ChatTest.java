package dev.millrace.text;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
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
import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Token;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.test.StepVerifier;

/** Chats with a model whose answer to anything is "the mill runs". */
class ChatTest {
    private static final int WORDS = 8;
    /** The word that follows each word: the, mill, runs, (end), user, bot, system, one. */
    private static final int[] NEXT = {1, 2, 3, 3, 5, 0, 7, 7};

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), """
            {"model": {"type": "WordLevel", "unk_token": "one",
              "vocab": {"the": 0, "mill": 1, "runs": 2, "</s>": 3, "user": 4, "bot": 5, "system": 6, "one": 7}},
             "pre_tokenizer": {"type": "Whitespace"},
             "added_tokens": [{"id": 3, "content": "</s>", "special": true}]}
            """);
        Files.writeString(
                folder.resolve("chat_template.jinja"),
                "{% for message in messages %}{{ 'bot' if message.role == 'assistant' else message.role }} "
                        + "{{ message.content }} {% endfor %}{% if add_generation_prompt %}bot{% endif %}");
        Files.writeString(
                folder.resolve("genai_config.json"),
                "{\"model\": {\"context_length\": 20, \"eos_token_id\": 3, \"decoder\": {\"filename\":"
                        + " \"model.onnx\"}}}");
        float[] table = new float[WORDS * WORDS];
        for (int word = 0; word < WORDS; word++) {
            table[word * WORDS + NEXT[word]] = 1;
        }
        var editor = new GraphEditor(Graph.named("mill"));
        Value ids = editor.addInput(
                "input_ids",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))));
        Value rows = editor.addConstant("rows", Tensor.copyOf(table, WORDS, WORDS));
        NodeSpec gather = NodeSpec.of(OpId.onnx("Gather"), 21, rows, ids);
        editor.addOutput("logits", editor.append(gather, List.of("logits")).requireOutput(0));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        Files.write(
                folder.resolve("model.onnx"),
                Models.toBytes(new Model(header, Map.of("", 21), Map.of(), Map.of(), editor.graph(), null)));
    }

    @Test
    void partsOfAnAnswerHaveTheirTokens() {
        try (LanguageModel model = LanguageModel.open(folder)) {
            var options = model.defaults().toBuilder().logprobs(2).build();
            List<ChatDelta> parts = model.chats()
                    .flux(List.of(ChatMessage.user("one")), options)
                    .collectList()
                    .blockOptional()
                    .orElseThrow();
            assertThat(parts.stream().flatMap(part -> part.tokens().stream()))
                    .extracting(Token::id)
                    .containsExactly(0L, 1L, 2L, 3L);
            assertThat(parts.getFirst().tokens().getFirst().likelihood())
                    .satisfies(likelihood ->
                            assertThat(requireNonNull(likelihood).best()).hasSize(2));
            assertThat(new String(model.tokenizer().bytes(1), StandardCharsets.UTF_8))
                    .isEqualTo("mill");
            assertThat(model.tokenizer().bytes(99)).isEmpty();
        }
    }

    @Test
    void aChatKeepsItsMessages() {
        try (LanguageModel model = LanguageModel.open(folder)) {
            Chat chat = model.chat().add(ChatMessage.system("one"));
            var heard = new ArrayList<String>();
            Completion completion = chat.say("one one", heard::add);
            assertThat(completion.text()).isEqualTo("the mill runs").isEqualTo(String.join("", heard));
            assertThat(completion.ending()).isEqualTo(Ending.STOP_TOKEN);
            assertThat(completion.usage().prompt()).isEqualTo(6);
            assertThat(chat.messages())
                    .containsExactly(
                            ChatMessage.system("one"),
                            ChatMessage.user("one one"),
                            ChatMessage.assistant("the mill runs"));
            assertThat(chat.say("one").usage().prompt()).isEqualTo(12);
            chat.reset();
            assertThat(chat.messages()).containsExactly(ChatMessage.system("one"));
            chat.begin(ChatMessage.system("mill"));
            assertThat(chat.messages()).containsExactly(ChatMessage.system("mill"));
        }
    }

    @Test
    void aStreamEndsWithItsUsage() {
        try (LanguageModel model = LanguageModel.open(folder)) {
            Chat chat = model.chat();
            List<ChatDelta> deltas =
                    requireNonNull(chat.stream("one").collectList().block());
            assertThat(deltas).extracting(ChatDelta::text).containsExactly("the", " mill", " runs", "");
            assertThat(deltas.getLast().ending()).isEqualTo(Ending.STOP_TOKEN);
            assertThat(deltas.getLast().usage().generated()).isEqualTo(4);
            assertThat(chat.messages()).hasSize(2);
            StepVerifier.create(chat.stream("one"), 1)
                    .expectNextCount(1)
                    .thenCancel()
                    .verify();
            assertThat(chat.messages()).as("a cancelled message is not kept").hasSize(2);
        }
    }

    @Test
    void aFullContextLeavesTheOldestMessagesOut() {
        try (LanguageModel model = LanguageModel.open(folder)) {
            Chat chat = model.chat().add(ChatMessage.system("one"));
            chat.say("runs one");
            chat.say("the one");
            chat.say("mill one");
            assertThat(chat.messages())
                    .contains(ChatMessage.system("one"), ChatMessage.user("mill one"))
                    .doesNotContain(ChatMessage.user("runs one"));
            assertThatThrownBy(() -> chat.say("one ".repeat(30)))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                    .hasMessageContaining("the model sees 20 at most");
        }
    }

    @Test
    void toolsAndStopTextsAreOptions() {
        try (LanguageModel model = LanguageModel.open(folder)) {
            ChatGenerator chats = model.chats().stoppingAt(" runs");
            List<ChatMessage> messages = List.of(ChatMessage.user("one"));
            GenerationOptions options = model.defaults();
            assertThat(chats.run(messages, options).text()).isEqualTo("the mill");
            assertThat(requireNonNull(chats.mono(messages, options).block()).ending())
                    .isEqualTo(Ending.STOPPED);
            ChatGenerator open = chats.with(
                    ChatTemplate.Options.builder().addGenerationPrompt(false).build());
            assertThat(open.prompt(messages)).isEqualTo("user one ");
            assertThat(open.tokens(messages)).isEqualTo(2);
        }
    }

    @Test
    void aFolderWithoutTemplateSaysSo() throws IOException {
        Files.delete(folder.resolve("chat_template.jinja"));
        try (LanguageModel model = LanguageModel.open(folder)) {
            assertThatThrownBy(model::chat)
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NO_SUCH_FILE))
                    .hasMessageContaining("no chat template");
        }
    }
}
