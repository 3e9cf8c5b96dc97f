package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.onnx.allminilml6v2.AllMiniLmL6V2EmbeddingModel;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** LangChain4j's in-process embedding model, which runs as it is with the answers of ONNX Runtime. */
@Tag("reference")
@Tag("slow")
class LangChain4jIT {
    /** The answers of ONNX Runtime 1.29 for the first numbers of two vectors. */
    private static final float[] CAT = {
        0.126535f, -0.032851f, -0.029060f, 0.044407f, -0.043445f, 0.032097f, 0.048111f, 0.027675f
    };

    private static final float[] LONG_TEXT = {
        -0.030489f, -0.056118f, 0.058748f, -0.025988f, 0.017186f, 0.021948f, 0.037705f, -0.094764f
    };

    @Test
    void langChain4jEmbedsTexts() {
        var model = new AllMiniLmL6V2EmbeddingModel();
        List<float[]> vectors = model
                .embedAll(List.of(
                        TextSegment.from("A cat sits on the mat."),
                        TextSegment.from("A kitten rests on a rug."),
                        TextSegment.from("Interest rates rise."),
                        TextSegment.from("stream of words ".repeat(400))))
                .content()
                .stream()
                .map(embedding -> embedding.vector())
                .toList();
        assertThat(vectors).allSatisfy(vector -> {
            assertThat(vector).hasSize(384);
            assertThat(dot(vector, vector)).isCloseTo(1, within(1e-5));
        });
        assertThat(dot(vectors.get(0), vectors.get(1))).isGreaterThan(dot(vectors.get(0), vectors.get(2)) + 0.2);
        assertThat(head(vectors.get(0))).containsExactly(CAT, within(1e-4f));
        assertThat(head(vectors.get(3))).containsExactly(LONG_TEXT, within(1e-4f));
    }

    private static float[] head(float[] vector) {
        float[] head = new float[CAT.length];
        System.arraycopy(vector, 0, head, 0, head.length);
        return head;
    }

    private static double dot(float[] a, float[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += (double) a[i] * b[i];
        }
        return sum;
    }
}
