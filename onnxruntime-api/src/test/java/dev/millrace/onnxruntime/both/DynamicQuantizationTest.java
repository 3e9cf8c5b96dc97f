package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Dynamically quantised products. Both jars compute the same bytes and the same sums from the same floats. A float next to the middle
 * between two bytes decides for one of them by its last bit, so that any other order of an addition before it changes the sums by whole
 * steps.
 */
@Tag("reference")
class DynamicQuantizationTest {
    private static final int ROWS = 4;
    private static final int INNER = 96;
    private static final int COLUMNS = 40;

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    /** Bytes, scale, zero point and sums of a matrix. */
    private record Quantised(byte[][] bytes, float scale, byte zero, int[][] sums) {}

    private Quantised run(float[][] x, byte[][] weights) throws Exception {
        try (OrtSession session = environment.createSession(SmallModels.dynamicProduct(weights));
                OnnxTensor tensor = OnnxTensor.createTensor(environment, x);
                OrtSession.Result result = session.run(Map.of("x", tensor))) {
            return new Quantised(
                    (byte[][]) result.get(0).getValue(),
                    (float) result.get(1).getValue(),
                    (byte) result.get(2).getValue(),
                    (int[][]) result.get(3).getValue());
        }
    }

    /** Returns weights of seven bits: with eight, ONNX Runtime's sums saturate on processors without VNNI. */
    private static byte[][] weights(Random random, int inner, int columns) {
        byte[][] weights = new byte[inner][columns];
        for (byte[] row : weights) {
            for (int i = 0; i < row.length; i++) {
                row[i] = (byte) (random.nextInt(128) - 64);
            }
        }
        return weights;
    }

    @Test
    void bytesAndSumsAreThoseOfTheDefinition() throws Exception {
        var random = new Random(7);
        byte[][] weights = weights(random, INNER, COLUMNS);
        for (int run = 0; run < 20; run++) {
            float[][] x = new float[ROWS][INNER];
            float low = 0;
            float high = 0;
            for (float[] row : x) {
                for (int i = 0; i < row.length; i++) {
                    row[i] = (float) (random.nextGaussian() * (1 + run) + 0.3 * run);
                    low = Math.min(low, row[i]);
                    high = Math.max(high, row[i]);
                }
            }
            Quantised found = run(x, weights);
            float scale = (high - low) / 255;
            int zero = (int) Math.rint(-low / scale);
            assertThat(found.scale()).isEqualTo(scale);
            assertThat(found.zero() & 0xff).isEqualTo(zero);
            for (int i = 0; i < ROWS; i++) {
                for (int j = 0; j < INNER; j++) {
                    assertThat(found.bytes()[i][j] & 0xff)
                            .isEqualTo(Math.clamp((long) Math.rint(x[i][j] / scale) + zero, 0, 255));
                }
                assertThat(found.sums()[i]).isEqualTo(sums(found.bytes()[i], zero, weights));
            }
        }
    }

    private static int[] sums(byte[] row, int zero, byte[][] weights) {
        int[] sums = new int[weights[0].length];
        for (int i = 0; i < sums.length; i++) {
            for (int j = 0; j < row.length; j++) {
                sums[i] += ((row[j] & 0xff) - zero) * weights[j][i];
            }
        }
        return sums;
    }

    @Test
    void theLastBitOfAFloatChangesSumsByAWholeStep() throws Exception {
        byte[][] weights = {{1}, {0}, {60}};
        float middle = 7.5f;
        // the range is 0 to 255, so the scale is 1 and the zero point 0
        Quantised below = run(new float[][] {{0, 255, Math.nextDown(middle)}}, weights);
        Quantised above = run(new float[][] {{0, 255, Math.nextUp(middle)}}, weights);
        assertThat(below.scale()).isEqualTo(1);
        assertThat(below.sums()[0][0]).isEqualTo(7 * 60);
        assertThat(above.sums()[0][0]).isEqualTo(8 * 60);
    }
}
