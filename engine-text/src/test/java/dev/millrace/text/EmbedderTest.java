package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.Inference;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class EmbedderTest {
    private static final Tensor HIDDEN =
            Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 0, /**/ 7, 8, -1, -2, 9, 9}, 2, 3, 2);
    private static final Tensor MASK = Tensor.copyOf(new long[] {1, 1, 1, 1, 1, 0}, 2, 3);

    @Test
    void vectorsOfTokensBecomeOneOfTheirText() {
        assertThat(Pooling.MEAN.pool(HIDDEN, MASK)).isDeepEqualTo(new float[][] {{3, 2}, {3, 3}});
        assertThat(Pooling.FIRST.pool(HIDDEN, MASK)).isDeepEqualTo(new float[][] {{1, 2}, {7, 8}});
        assertThat(Pooling.LAST.pool(HIDDEN, MASK)).isDeepEqualTo(new float[][] {{5, 0}, {-1, -2}});
        assertThat(Pooling.MAX.pool(HIDDEN, MASK)).isDeepEqualTo(new float[][] {{5, 4}, {7, 8}});
        assertThat(Pooling.LAST.pool(HIDDEN, null)).isDeepEqualTo(new float[][] {{5, 0}, {9, 9}});
        assertThatThrownBy(() -> Pooling.MEAN.pool(MASK, null)).hasMessageContaining("three axes");
        assertThatThrownBy(() -> Pooling.MEAN.pool(HIDDEN, Tensor.copyOf(new long[2], 1, 2)))
                .hasMessageContaining("does not fit");
    }

    @Test
    void aRealModelTellsWhatIsAlike() throws IOException {
        try (Engine engine = Engine.create();
                Session session =
                        engine.session(GoldenTest.content("/all-minilm-l6-v2.onnx"), SessionOptions.defaults())) {
            Embedder embedder =
                    Embedder.of(session, GoldenTest.tokenizer("minilm").paddedWith("[PAD]"));
            List<String> texts = List.of(
                    "A mill turns as long as water flows.",
                    "Water drives the wheel.",
                    "The invoice is due on Friday, without fail.");
            List<float[]> vectors = embedder.embedAll(texts);
            assertThat(Embedder.dot(vectors.get(0), vectors.get(0))).isCloseTo(1, within(1e-6));
            assertThat(Embedder.dot(vectors.get(0), vectors.get(1)))
                    .isGreaterThan(0.2 + Embedder.dot(vectors.get(0), vectors.get(2)));
            // a batch with padding, one by one, and a stream say the same
            for (int i = 0; i < texts.size(); i++) {
                assertThat(embedder.embed(texts.get(i))).containsExactly(vectors.get(i), within(1e-5f));
            }
            StepVerifier.create(embedder.flux(Flux.fromIterable(texts)).map(vector -> vector[0]))
                    .expectNextCount(3)
                    .verifyComplete();
            StepVerifier.create(embedder.mono(texts.get(1)))
                    .assertNext(vector -> assertThat(vector).containsExactly(vectors.get(1), within(1e-5f)))
                    .verifyComplete();
            assertThat(embedder.embedAll(List.of())).isEmpty();
            assertThatThrownBy(() ->
                            Embedder.of(session, GoldenTest.tokenizer("minilm")).embedAll(texts))
                    .hasMessageContaining("see paddedWith");
            // what unbounded() switches off is not forgotten
            assertThat(Embedder.of(
                                    session,
                                    GoldenTest.tokenizer("minilm").cutTo(512).paddedTo(0))
                            .embedAll(texts))
                    .hasSize(3);
            requireNamedArguments(embedder);
            assertThatThrownBy(() -> embedder.output("pooled")).hasMessageContaining("Invalid output name: pooled");
        }
    }

    @Test
    void anyInferenceIsUnderIt() throws IOException {
        try (Engine engine = Engine.create();
                ReplaceableSession replaceable = ReplaceableSession.of(
                        engine.session(GoldenTest.content("/all-minilm-l6-v2.onnx"), SessionOptions.defaults()))) {
            Session session = replaceable.current();
            Tokenizer tokenizer = GoldenTest.tokenizer("minilm").paddedTo(0);
            float[] expected = Embedder.of(session, tokenizer).embed("Water drives the wheel.");
            for (Inference each : List.of(replaceable, session.batched(BatchOptions.defaults()))) {
                Embedder embedder = Embedder.of(each, tokenizer);
                assertThat(embedder.embed("Water drives the wheel.")).containsExactly(expected, within(1e-6f));
                StepVerifier.create(embedder.flux(Flux.just("Water drives the wheel.")))
                        .assertNext(vector -> assertThat(vector).containsExactly(expected, within(1e-6f)))
                        .verifyComplete();
            }
        }
    }

    @Test
    void aLongTextIsTheMeanOfItsParts() throws IOException {
        try (Engine engine = Engine.create();
                Session session =
                        engine.session(GoldenTest.content("/all-minilm-l6-v2.onnx"), SessionOptions.defaults())) {
            Tokenizer tokenizer = GoldenTest.tokenizer("minilm").paddedTo(0);
            Embedder whole = Embedder.of(session, tokenizer);
            Embedder parts = whole.inParts(6);
            // "undershot" and "overshot" have several tokens and are not cut apart
            String text = "water flows under the undershot wheel and over the overshot one";
            List<Encoding> cut = tokenizer.unpadded().parts(text, 6);
            assertThat(cut).allMatch(part -> part.textTokens() <= 6).hasSizeGreaterThan(2);
            float[] expected = new float[384];
            for (Encoding part : cut) {
                String own = text.substring(part.start(1), part.end(part.length() - 2));
                float[] vector = whole.normalising(false).embed(own);
                for (int i = 0; i < expected.length; i++) {
                    expected[i] += vector[i] * part.textTokens();
                }
            }
            double norm = Math.sqrt(Embedder.dot(expected, expected));
            for (int i = 0; i < expected.length; i++) {
                expected[i] = (float) (expected[i] / norm);
            }
            assertThat(parts.embed(text)).containsExactly(expected, within(1e-5f));
            assertThat(parts.embed("short")).containsExactly(whole.embed("short"), within(1e-6f));
            StepVerifier.create(parts.flux(Flux.just(text, "short")))
                    .assertNext(vector -> assertThat(vector).containsExactly(expected, within(1e-5f)))
                    .expectNextCount(1)
                    .verifyComplete();
            assertThat(parts.embedAll(List.of("", text)).getLast()).containsExactly(expected, within(1e-5f));
            assertThatThrownBy(() -> whole.inParts(0)).hasMessageContaining("at least one token");
        }
    }

    @SuppressWarnings("NullAway")
    private static void requireNamedArguments(Embedder embedder) {
        assertThatThrownBy(() -> embedder.pooling(null)).hasMessage("the argument 'pooling' is null");
        assertThatThrownBy(() -> Embedder.dot(new float[2], new float[3]))
                .hasMessageContaining("vectors of 2 and 3 numbers");
        assertThatThrownBy(() -> embedder.embed(null)).hasMessage("the argument 'text' is null");
        assertThatThrownBy(() -> embedder.embedAll(Arrays.asList("a", null)))
                .hasMessage("the element 1 of 'texts' is null");
    }

    @Test
    void manyTextsAreSeveralRunsWhoseVectorsKeepTheirOrder() throws IOException {
        var runs = new AtomicInteger();
        var counting = new RunListener() {
            @Override
            public boolean hearsSteps() {
                return false;
            }

            @Override
            public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {}

            @Override
            public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
                runs.incrementAndGet();
            }
        };
        try (Engine engine = Engine.create();
                Session session = engine.session(
                        GoldenTest.content("/all-minilm-l6-v2.onnx"),
                        SessionOptions.builder().listener(counting).build())) {
            Embedder embedder = Embedder.of(
                    session, GoldenTest.tokenizer("minilm").cutTo(400).paddedWith("[PAD]"));
            List<String> texts = IntStream.range(0, 70)
                    .mapToObj(i ->
                            "mill " + "water ".repeat(i * 37 % 70) + i + " " + "wheel ".repeat(i % 7 == 0 ? 300 : 0))
                    .toList();
            List<float[]> vectors = embedder.embedAll(texts);
            assertThat(runs.get()).isBetween(5, 20);
            for (int i = 0; i < texts.size(); i++) {
                assertThat(vectors.get(i)).containsExactly(embedder.embed(texts.get(i)), within(1e-5f));
            }
        }
    }
}
