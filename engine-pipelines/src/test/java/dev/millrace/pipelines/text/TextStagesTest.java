package dev.millrace.pipelines.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.FixedInference;
import dev.millrace.pipelines.ScoredLabel;
import dev.millrace.pipelines.Stage;
import dev.millrace.session.Inputs;
import dev.millrace.text.Tokenizer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Tests with a real tokenizer, and with models whose logits follow from the ids of tokens. */
class TextStagesTest {
    private static final Tokenizer TOKENIZER = tokenizer();

    private static Tokenizer tokenizer() {
        try (InputStream in =
                Objects.requireNonNull(TextStagesTest.class.getResourceAsStream("/all-minilm-l6-v2-tokenizer.json"))) {
            return Tokenizer.of(in.readAllBytes()).unbounded().paddedTo(0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int id(String token) {
        return TOKENIZER.id(token);
    }

    private static long[] ids(Inputs inputs) {
        return FixedInference.tensor(inputs, "input_ids").longs();
    }

    private static int texts(Inputs inputs) {
        return (int) FixedInference.tensor(inputs, "input_ids").shape().dim(0);
    }

    /** Logits for each text: the number of its tokens "good" and "bad". */
    private static Tensor[] moods(Inputs inputs) {
        int texts = texts(inputs);
        long[] ids = ids(inputs);
        float[] logits = new float[texts * 2];
        for (int i = 0; i < ids.length; i++) {
            int at = i / (ids.length / texts) * 2;
            logits[at] += ids[i] == id("good") ? 1 : 0;
            logits[at + 1] += ids[i] == id("bad") ? 1 : 0;
        }
        return new Tensor[] {Tensor.copyOf(logits, texts, 2)};
    }

    @Test
    void textsHaveTheirMostLikelyClass() {
        var runs = new AtomicInteger();
        FixedInference model = FixedInference.ofTexts(1, inputs -> {
            runs.incrementAndGet();
            return moods(inputs);
        });
        Stage<String, List<ScoredLabel>> stage = TextClassifier.of(model, TOKENIZER, List.of("happy", "sad"), 1);
        List<String> texts = List.of("a bad, bad day with a good end", "good", "this is bad and nothing else at all");
        List<List<ScoredLabel>> found = stage.runAll(texts);
        assertThat(found).extracting(top -> top.getFirst().label()).containsExactly("sad", "happy", "sad");
        assertThat(found.getFirst().getFirst().score()).isCloseTo(Math.E / (1 + Math.E), within(1e-6));
        assertThat(runs.get()).isOne();
        StepVerifier.create(stage.flux(Flux.fromIterable(texts)))
                .expectNextSequence(found)
                .verifyComplete();
        assertThat(TextClassifier.multiLabel(model, TOKENIZER, List.of("happy", "sad"), 2)
                        .run("good"))
                .extracting(ScoredLabel::score)
                .containsExactly(1 / (1 + Math.exp(-1)), 0.5);
    }

    /** The number of tokens of the second text that the first one has as well. */
    private static Tensor[] common(Inputs inputs) {
        int texts = texts(inputs);
        long[] ids = ids(inputs);
        int tokens = ids.length / texts;
        float[] scores = new float[texts];
        for (int i = 0; i < texts; i++) {
            var query = new HashSet<Long>();
            boolean isSecond = false;
            for (int j = 1; j < tokens; j++) {
                long each = ids[i * tokens + j];
                if (each == id("[SEP]")) {
                    isSecond = true;
                } else if (!isSecond) {
                    query.add(each);
                } else {
                    scores[i] += query.contains(each) ? 1 : 0;
                }
            }
        }
        return new Tensor[] {Tensor.copyOf(scores, texts, 1)};
    }

    @Test
    void passagesAreRanked() {
        CrossEncoder encoder = CrossEncoder.of(FixedInference.ofTexts(1, TextStagesTest::common), TOKENIZER);
        List<String> passages = List.of("nothing", "the wheel of the mill turns", "a mill");
        assertThat(encoder.scores("the mill wheel", passages)).containsExactly(0.0, 4.0, 1.0);
        List<RankedText> ranked = encoder.rank("the mill wheel", passages);
        assertThat(ranked).extracting(RankedText::index).containsExactly(1, 2, 0);
        StepVerifier.create(encoder.rankMono("the mill wheel", passages))
                .expectNext(ranked)
                .verifyComplete();
        StepVerifier.create(encoder.scoresMono("x", List.of()))
                .expectNext(List.of())
                .verifyComplete();
        assertThatThrownBy(() -> CrossEncoder.of(FixedInference.ofTexts(1, TextStagesTest::moods), TOKENIZER)
                        .scores("a", List.of("b")))
                .hasMessageContaining("one score for each pair");
    }

    /** Classes of tokens by their ids: a first or further word of a person, a place, nothing. */
    private static Tensor[] classes(Inputs inputs) {
        long[] ids = ids(inputs);
        float[] logits = new float[ids.length * 4];
        for (int i = 0; i < ids.length; i++) {
            String token = Objects.requireNonNull(TOKENIZER.token((int) ids[i]));
            int label = switch (token) {
                case "ada", "alan" -> 1;
                case "love", "turing" -> 2;
                case "london" -> 3;
                default -> 0;
            };
            logits[i * 4 + label] = 5;
        }
        int texts = texts(inputs);
        return new Tensor[] {Tensor.copyOf(logits, texts, ids.length / texts, 4)};
    }

    @Test
    void partsOfATextAreNamed() {
        Stage<String, List<TextSpan>> stage = TokenClassifier.of(
                FixedInference.ofTexts(1, TextStagesTest::classes), TOKENIZER, List.of("O", "B-PER", "I-PER", "LOC"));
        // "Lovelace" is the tokens love, ##lace: the first one decides
        String text = "In London, Ada Lovelace met Alan Turing Ada.";
        List<TextSpan> spans = stage.run(text);
        assertThat(spans).extracting(TextSpan::text).containsExactly("London", "Ada Lovelace", "Alan Turing", "Ada");
        assertThat(spans).extracting(TextSpan::label).containsExactly("LOC", "PER", "PER", "PER");
        assertThat(spans)
                .allMatch(span -> text.substring(span.start(), span.end()).equals(span.text()));
        assertThat(spans.getFirst().score()).isCloseTo(Math.exp(5) / (Math.exp(5) + 3), within(1e-6));
    }

    /** An answer begins with "twelve" and ends with "clock"; the question would fit better, wherever these stand. */
    private static Tensor[] ends(Inputs inputs) {
        long[] ids = ids(inputs);
        float[] first = new float[ids.length];
        float[] last = new float[ids.length];
        for (int i = 0; i < ids.length; i++) {
            first[i] = ids[i] == id("twelve") ? 9 : ids[i] == id("when") ? 20 : 0;
            last[i] = ids[i] == id("clock") ? 9 : 0;
        }
        int texts = texts(inputs);
        int tokens = ids.length / texts;
        return new Tensor[] {Tensor.copyOf(first, texts, tokens), Tensor.copyOf(last, texts, tokens)};
    }

    @Test
    void anAnswerIsFoundInALongPassage() {
        Stage<Question, FoundAnswer> stage =
                QuestionAnswerer.of(FixedInference.ofTexts(2, TextStagesTest::ends), TOKENIZER, 32, 8);
        String passage = "Water flows over the wheel. ".repeat(20) + "It opens at twelve o'clock. "
                + "Water flows over the wheel. ".repeat(20);
        FoundAnswer answer = stage.run(new Question("When does it open?", passage));
        assertThat(answer.text()).isEqualTo("twelve o'clock");
        assertThat(passage.substring(answer.start(), answer.end())).isEqualTo(answer.text());
        assertThat(answer.score()).isGreaterThan(0.9);
        StepVerifier.create(stage.mono(new Question("When does it open?", passage)))
                .expectNext(answer)
                .verifyComplete();
        assertThatThrownBy(() -> stage.run(new Question("when?", ""))).hasMessageContaining("no tokens");
        assertThatThrownBy(() -> stage.run(new Question("when? ".repeat(20), "then")))
                .hasMessageContaining("have no room");
    }

    @Test
    void aQuestionMayHaveNoAnswer() {
        // the first token has logits of 5; "twelve" and "clock" have more, other tokens less
        Stage<Question, Optional<FoundAnswer>> stage = QuestionAnswerer.orNothing(
                FixedInference.ofTexts(2, inputs -> {
                    Tensor[] ends = ends(inputs);
                    for (Tensor each : ends) {
                        int tokens = (int) each.shape().dim(1);
                        for (int text = 0; text < texts(inputs); text++) {
                            each.segment().setAtIndex(ValueLayout.JAVA_FLOAT, (long) text * tokens, 5);
                        }
                    }
                    return ends;
                }),
                TOKENIZER,
                32,
                8);
        String passage = "Water flows over the wheel. ".repeat(20);
        assertThat(stage.run(new Question("When does it open?", passage))).isEmpty();
        assertThat(stage.run(new Question("When does it open?", ""))).isEmpty();
        assertThat(stage.run(new Question("When does it open?", passage + "It opens at twelve o'clock.")))
                .hasValueSatisfying(answer -> assertThat(answer.text()).isEqualTo("twelve o'clock"));
    }

    @Test
    void placesCountCharsBesideEmojiAndCombiningMarks() {
        Stage<String, List<TextSpan>> stage = TokenClassifier.of(
                FixedInference.ofTexts(1, TextStagesTest::classes), TOKENIZER, List.of("O", "B-PER", "I-PER", "LOC"));
        String plain = "In London, Ada Lovelace met Alan.";
        List<TextSpan> found = stage.run(plain);
        for (String before : List.of("👩‍🚀 ", "e\u0301te\u0301 ", "\u0000\u200b", "한국 ", "\ud83d ")) {
            String text = before + plain;
            assertThat(stage.run(text))
                    .as(before)
                    .hasSameSizeAs(found)
                    .allSatisfy(span -> assertThat(text.substring(span.start(), span.end()))
                            .isEqualTo(span.text())
                            .isEqualTo(plain.substring(span.start() - before.length(), span.end() - before.length())));
        }
        for (String nothing : List.of("", " ", "👩‍🚀", "\u0301")) {
            assertThat(stage.run(nothing)).as("'%s'", nothing).isEmpty();
        }
    }

    @Test
    void theGapIsFilled() {
        FixedInference model = FixedInference.ofTexts(1, inputs -> {
            long[] ids = ids(inputs);
            float[] logits = new float[ids.length * TOKENIZER.size()];
            for (int i = 0; i < ids.length; i++) {
                String next = ids[i] == id("[MASK]") ? "mill" : "clock";
                logits[i * TOKENIZER.size() + id(next)] = 20;
                logits[i * TOKENIZER.size() + id("wheel")] = 15;
            }
            return new Tensor[] {Tensor.copyOf(logits, 1, ids.length, TOKENIZER.size())};
        });
        Stage<String, List<ScoredLabel>> stage = MaskFiller.of(model, TOKENIZER, "[MASK]", 2);
        assertThat(stage.run("The [MASK] turns."))
                .extracting(ScoredLabel::label)
                .containsExactly("mill", "wheel");
        assertThatThrownBy(() -> stage.run("Nothing is missing.")).hasMessageContaining("0 tokens [MASK]");
    }
}
