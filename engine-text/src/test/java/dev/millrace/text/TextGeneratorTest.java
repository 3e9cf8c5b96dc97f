package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.millrace.session.Engine;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.BeamOptions;
import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.TokenConstraint;
import dev.millrace.session.generate.TokenUsage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** A model that knows one text by heart, no token of which is there twice, and goes on with it from any of them. */
class TextGeneratorTest {
    private static final String TEXT = "A crab🦀 to水.";
    private static final GenerationOptions HOW = GenerationOptions.defaults();

    private final Engine engine = Engine.create();
    private Tokenizer tokenizer;
    private long[] ids;
    private Session session;
    private TextGenerator generator;

    @BeforeEach
    void prepare() throws IOException {
        tokenizer = GoldenTest.tokenizer("byte-level").withoutMarks();
        ids = tokenizer.encode(TEXT).ids();
        session = engine.session(parrot(), SessionOptions.defaults());
        generator = TextGenerator.of(session, tokenizer);
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private byte[] parrot() {
        int words = tokenizer.size();
        float[] table = new float[words * words];
        for (int i = 0; i < ids.length - 1; i++) {
            for (int word = 0; word < words; word++) {
                table[(int) ids[i] * words + word] = word == ids[i + 1] ? 1 : 0;
            }
        }
        var editor = new GraphEditor(Graph.named("parrot"));
        Value input = editor.addInput(
                "input_ids",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))));
        Value rows = editor.addConstant("rows", Tensor.copyOf(table, words, words));
        NodeSpec gather = NodeSpec.of(OpId.onnx("Gather"), 21, rows, input);
        editor.addOutput("logits", editor.append(gather, List.of("logits")).requireOutput(0));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", 21), Map.of(), Map.of(), editor.graph(), null));
    }

    private GenerationOptions whole() {
        return HOW.toBuilder().stopTokens(ids[ids.length - 1]).build();
    }

    @Test
    void aTextIsGivenInPiecesOfWholeCharacters() {
        List<String> pieces = generator.flux("A", whole()).collectList().block();
        assertThat(pieces).contains("🦀", "水").doesNotContain("").noneMatch(piece -> piece.contains("\ufffd"));
        assertThat("A" + String.join("", pieces)).isEqualTo(TEXT);
        var heard = new ArrayList<String>();
        Completion completion = generator.run("A", whole(), heard::add);
        assertThat(completion)
                .isEqualTo(new Completion(TEXT.substring(1), new TokenUsage(1, 0, ids.length - 1), Ending.STOP_TOKEN))
                .isEqualTo(generator.mono("A", whole()).block())
                .isEqualTo(generator.run("A", whole()));
        assertThat(heard).isEqualTo(pieces);
    }

    @Test
    void aTextEndsOnTheSessionThatWasReplaced() {
        Session first = engine.session(parrot(), SessionOptions.defaults());
        try (ReplaceableSession service = ReplaceableSession.of(first)) {
            TextGenerator replaced = TextGenerator.of(service, tokenizer);
            var pieces = new ArrayList<String>();
            replaced.run("A", whole(), piece -> {
                if (pieces.isEmpty()) {
                    service.replace(engine.session(parrot(), SessionOptions.defaults()));
                    assertThat(first.health().isAnswering()).isTrue();
                }
                pieces.add(piece);
            });
            assertThat("A" + String.join("", pieces)).isEqualTo(TEXT);
            assertThat(first.health().isAnswering()).isFalse();
            assertThat("A" + replaced.run("A", whole()).text()).isEqualTo(TEXT);
        }
    }

    @Test
    void theLastPartOfATextHasItsEndingAndTheNumbersOfTokens() {
        List<ChatDelta> deltas = Objects.requireNonNull(
                generator.deltas("A", whole()).collectList().block());
        assertThat(deltas.stream().map(ChatDelta::text).toList())
                .containsAll(generator.flux("A", whole()).collectList().block());
        assertThat(deltas.getLast().ending()).isEqualTo(Ending.STOP_TOKEN);
        assertThat(deltas.getLast().usage()).isEqualTo(new TokenUsage(1, 0, ids.length - 1));
        assertThat(deltas.subList(0, deltas.size() - 1))
                .allMatch(each -> each.ending() == null && !each.text().isEmpty());
    }

    @Test
    void aTextEndsBeforeWhatItIsToStopAt() {
        Completion stopped = generator.stoppingAt("nowhere", "to水", " to").run("A", whole());
        assertThat(stopped.text()).isEqualTo(" crab🦀");
        assertThat(stopped.ending()).isEqualTo(Ending.STOPPED);
        assertThat(stopped.tokens()).isLessThan(ids.length - 1);
        StepVerifier.create(generator.stoppingAt("crab").flux("A", whole()).reduce(String::concat))
                .expectNext(" ")
                .verifyComplete();
        // what looked like the beginning of a stop is given in the end
        assertThat(generator.stoppingAt("水. No").run("A", whole()).text()).isEqualTo(TEXT.substring(1));
        assertThatThrownBy(() -> generator.stoppingAt("")).hasMessageContaining("empty");
    }

    @Test
    void beamsAreTexts() {
        BeamOptions two = BeamOptions.builder().beams(2).returned(2).build();
        List<ScoredCompletion> found = generator.beams("A", whole(), two);
        assertThat(found)
                .hasSize(2)
                .isEqualTo(generator.beamsMono("A", whole(), two).block());
        assertThat(found.getFirst().completion().text()).isEqualTo(TEXT.substring(1));
        assertThat(found.getFirst().completion().ending()).isEqualTo(Ending.STOP_TOKEN);
        assertThat(found.getFirst().score()).isGreaterThan(found.getLast().score());
        Completion stopped =
                generator.stoppingAt(" to").beams("A", whole(), two).getFirst().completion();
        assertThat(stopped.text()).isEqualTo(" crab🦀");
        assertThat(stopped.ending()).isEqualTo(Ending.STOPPED);
    }

    @Test
    void aTextThatIsCutWithinACharacterSaysSo() {
        int crab = tokenizer.encode("A crab").ids().length;
        Completion cut = generator.run("A", HOW.toBuilder().maxTokens(crab).build());
        assertThat(cut.ending()).isEqualTo(Ending.MAX_TOKENS);
        assertThat(cut.text()).isEqualTo(" crab\ufffd");
    }

    @Test
    void aConstraintBindsTheText() {
        GenerationOptions bound = HOW.toBuilder()
                .constraint(TextConstraint.regex(tokenizer, " crab[🦀🦁]{2}"))
                .stopTokens(ids[ids.length - 1])
                .build();
        // the parrot would say more, and not two crabs
        assertThat(generator.run("A", bound).text()).startsWith(" crab").hasSize(9);
        GenerationOptions whole = bound.toBuilder()
                .constraint(TextConstraint.regex(tokenizer, " crab🦀"))
                .build();
        Completion completion = generator.run("A", whole);
        assertThat(completion.text()).isEqualTo(" crab🦀");
        assertThat(completion.ending()).isEqualTo(Ending.COMPLETE);
        assertThat(generator.mono("A", whole).block()).isEqualTo(completion);
    }

    @Test
    void aStopTextEndsAConstrainedTextToo() {
        GenerationOptions bound = HOW.toBuilder()
                .constraint(TextConstraint.regex(tokenizer, " crab🦀 to水\\."))
                .build();
        Completion stopped = generator.stoppingAt("🦀").run("A", bound);
        assertThat(stopped.text()).isEqualTo(" crab");
        assertThat(stopped.ending()).isEqualTo(Ending.STOPPED);
    }

    @Test
    void theLastTokenOfAPromptIsHealed() {
        // the tokens of a prompt that ends within a word are others than those of the text
        String begun = "A crab🦀 t";
        assertThat(Arrays.mismatch(tokenizer.encode(begun).ids(), ids))
                .isLessThan(tokenizer.encode(begun).ids().length);
        assertThat(generator.run(begun, whole()).text()).isNotEqualTo("o水.");
        TextGenerator healing = generator.healing();
        assertThat(healing.run(begun, whole()).text()).isEqualTo("o水.");
        assertThat(String.join("", healing.flux(begun, whole()).collectList().block()))
                .isEqualTo("o水.");
        GenerationOptions bound = whole().toBuilder()
                .constraint(TextConstraint.regex(tokenizer, "o水?"))
                .build();
        assertThat(healing.run(begun, bound).text()).isEqualTo("o水");
        assertThat(healing.stoppingAt("t").run(begun, whole()).text()).isEqualTo("o水.");
    }

    @Test
    void whatCannotBeHealedStays() throws IOException {
        TextGenerator healing = generator.healing();
        // one token, and a character of several tokens
        assertThat(healing.run("A", whole())).isEqualTo(generator.run("A", whole()));
        assertThat(healing.run("A crab🦀", whole())).isEqualTo(generator.run("A crab🦀", whole()));
        assertThatThrownBy(() -> healing.run(
                        "A crab",
                        HOW.toBuilder()
                                .constraint(prompt -> {
                                    throw new IllegalStateException();
                                })
                                .build()))
                .hasMessageContaining("goes together with a TextConstraint");
        Tokenizer wordPiece = GoldenTest.tokenizer("minilm");
        TextGenerator other = TextGenerator.of(session, wordPiece);
        assertThatThrownBy(other::healing).hasMessageContaining("WordPiece");
    }

    @Test
    void healingAllowsTokensThatRepeatTheLastOne() throws IOException {
        Tokenizer spaced = GoldenTest.tokenizer("byte-fallback").withoutMarks();
        long[] prompt = {spaced.id("▁hello"), spaced.id("▁un")};
        Prompt healed = Prompt.healed(spaced, prompt, HOW);
        assertThat(healed.ids()).containsExactly(prompt[0]);
        assertThat(healed.repeated()).isEqualTo(3);
        TokenConstraint.State state =
                Objects.requireNonNull(healed.options().constraint()).begin(healed.ids());
        assertThat(Objects.requireNonNull(state.allowed()).stream().mapToObj(spaced::token))
                .contains("▁", "▁u", "▁un", "▁und", "▁under")
                .doesNotContain("▁the", "un", "▁hello");
        assertThat(state.mayEnd()).isFalse();
        state.accept(spaced.id("▁u"));
        assertThat(Objects.requireNonNull(state.allowed()).stream().mapToObj(spaced::token))
                .contains("n")
                .allMatch(token -> token.startsWith("n"));
        state.accept(spaced.id("n"));
        assertThat(state.allowed()).as("all tokens").isNull();
        assertThat(state.mayEnd()).isTrue();
    }
}
