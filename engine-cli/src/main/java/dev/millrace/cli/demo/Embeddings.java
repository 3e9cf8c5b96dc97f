package dev.millrace.cli.demo;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.util.Arrays;

/** Sentence embeddings of a BERT encoder: the mean over the tokens, of length one. */
public final class Embeddings {
    private Embeddings() {}

    public static Inputs inputs(long[] tokens) {
        long[] ones = new long[tokens.length];
        Arrays.fill(ones, 1);
        return Inputs.of("input_ids", Tensor.copyOf(tokens, 1, tokens.length))
                .and("attention_mask", Tensor.copyOf(ones, 1, tokens.length))
                .and("token_type_ids", Tensor.copyOf(new long[tokens.length], 1, tokens.length));
    }

    public static float[] of(Outputs outputs) {
        Tensor hidden = outputs.get(0);
        float[] values = hidden.floats();
        int width = (int) hidden.shape().dimAt(-1);
        float[] mean = new float[width];
        for (int i = 0; i < values.length; i++) {
            mean[i % width] += values[i];
        }
        double norm = Math.sqrt(dot(mean, mean));
        for (int i = 0; i < width; i++) {
            mean[i] = (float) (mean[i] / norm);
        }
        return mean;
    }

    public static double dot(float[] a, float[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }
}
