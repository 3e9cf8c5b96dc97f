package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.util.List;
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
            assertThatThrownBy(() -> embedder.output("pooled")).hasMessageContaining("Invalid output name: pooled");
        }
    }
}
