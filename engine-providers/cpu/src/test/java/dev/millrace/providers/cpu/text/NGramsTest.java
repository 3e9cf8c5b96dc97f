package dev.millrace.providers.cpu.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import org.junit.jupiter.api.Test;

class NGramsTest {
    /** A pool of n-grams: the items 5 and 7000, the pairs 5 7000 and 7000 7000, and the triple 5 5 7000. */
    private static OneNode grams(String mode, long skips) {
        return OneNode.onnx("TfIdfVectorizer", 9)
                .with("mode", mode)
                .with("min_gram_length", 1)
                .with("max_gram_length", 3)
                .with("max_skip_count", skips)
                .withAll("ngram_counts", 0, 2, 6)
                .withAll("ngram_indexes", 0, 1, 4, 2, 3)
                .withAll("pool_int64s", 5, 7000, 5, 7000, 7000, 7000, 5, 5, 7000)
                .with("weights", 1, 10, 2, 3, 4);
    }

    private static final Tensor ITEMS = Tensor.copyOf(new long[] {5, 5, 7000, 9, 7000}, 5);

    @Test
    void gramsOfAllLengthsAreCounted() {
        assertThat(grams("TF", 0).run(ITEMS).floats()).containsExactly(2, 2, 0, 1, 1);
    }

    @Test
    void gapsAreTheSameBetweenAllItemsAndSingleItemsHaveNone() {
        assertThat(grams("TF", 1).run(ITEMS).floats()).containsExactly(2, 2, 1, 1, 2);
    }

    @Test
    void weightsAreThoseOfGrams() {
        assertThat(grams("IDF", 0).run(ITEMS).floats()).containsExactly(1, 10, 0, 4, 2);
        assertThat(grams("TFIDF", 0).run(ITEMS).floats()).containsExactly(2, 20, 0, 4, 2);
    }

    @Test
    void eachRowIsCountedByItself() {
        Tensor rows = Tensor.copyOf(new int[] {5, 7000, 7000, 7000}, 2, 2);
        Tensor counts = grams("TF", 0).run(rows);
        assertThat(counts.shape()).isEqualTo(Shape.of(2, 5));
        assertThat(counts.floats()).containsExactly(1, 1, 0, 0, 1, 0, 2, 1, 0, 0);
    }

    @Test
    void textsAreItemsToo() {
        Tensor counts = OneNode.onnx("TfIdfVectorizer", 9)
                .with("mode", "TF")
                .with("min_gram_length", 2)
                .with("max_gram_length", 2)
                .with("max_skip_count", 0)
                .withAll("ngram_counts", 0, 0)
                .withAll("ngram_indexes", 1, 0)
                .withTexts("pool_strings", "a", "b", "b", "a")
                .run(Tensor.ofStrings(Shape.of(4), "a", "b", "a", "c"));
        assertThat(counts.floats()).containsExactly(1, 1);
    }
}
