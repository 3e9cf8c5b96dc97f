package dev.millrace.graph.quantize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.ElementType;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockRoundingTest {
    private static BlockRounding rounding(int bits, boolean symmetric, boolean search, ElementType scales) {
        return new BlockRounding(
                QuantizeOptions.builder()
                        .bits(bits)
                        .symmetric(symmetric)
                        .scaleSearch(search)
                        .build(),
                scales);
    }

    private static double loss(BlockRounding rounding, float[] weights) {
        double loss = 0;
        for (int i = 0; i < weights.length; i++) {
            double kept = (double) rounding.scale() * (rounding.code(i) - rounding.zero());
            loss += (weights[i] - kept) * (weights[i] - kept);
        }
        return loss;
    }

    @ParameterizedTest
    @CsvSource({"4, true", "4, false", "8, true", "8, false"})
    void aSearchMakesNoBlockWorseAndMostBetter(int bits, boolean symmetric) {
        var random = new Random(3);
        double found = 0;
        double plain = 0;
        for (int block = 0; block < 200; block++) {
            float[] weights = new float[32];
            for (int i = 0; i < weights.length; i++) {
                weights[i] = (float) (random.nextGaussian() * 0.02 + block % 3 * 0.01);
            }
            BlockRounding best = rounding(bits, symmetric, true, ElementType.FLOAT);
            best.round(weights, 0, weights.length);
            BlockRounding usual = rounding(bits, symmetric, false, ElementType.FLOAT);
            usual.round(weights, 0, weights.length);
            assertThat(best.error()).isLessThanOrEqualTo(usual.error() * (1 + 1e-9));
            assertThat(best.error()).isCloseTo(loss(best, weights), within(1e-9));
            for (int i = 0; i < weights.length; i++) {
                assertThat(best.code(i)).isBetween(0, (1 << bits) - 1);
            }
            found += best.error();
            plain += usual.error();
        }
        assertThat(found).isLessThan(plain * 0.97);
    }

    @Test
    void theLargestWeightHasTheCodeOfTheLargestMagnitude() {
        BlockRounding rounding = rounding(4, true, false, ElementType.FLOAT);
        rounding.round(new float[] {0, 4, -1, 2}, 0, 4);
        assertThat(rounding.scale()).isEqualTo(-0.5f);
        assertThat(rounding.zero()).isEqualTo(8);
        assertThat(new int[] {rounding.code(0), rounding.code(1), rounding.code(2), rounding.code(3)})
                .containsExactly(8, 0, 10, 4);
    }

    @Test
    void aRangeWithAZeroPointHasBothEnds() {
        BlockRounding rounding = rounding(4, false, false, ElementType.FLOAT);
        rounding.round(new float[] {-1, 0, 14}, 0, 3);
        assertThat(rounding.scale()).isEqualTo(1);
        assertThat(rounding.zero()).isEqualTo(1);
        assertThat(new int[] {rounding.code(0), rounding.code(1), rounding.code(2)})
                .containsExactly(0, 1, 15);
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void zerosStayZero(boolean symmetric) {
        for (boolean search : new boolean[] {true, false}) {
            BlockRounding rounding = rounding(4, symmetric, search, ElementType.FLOAT);
            rounding.round(new float[16], 0, 16);
            assertThat(rounding.error()).isZero();
            assertThat(rounding.code(7)).isEqualTo(rounding.zero());
            assertThat(rounding.scale()).isZero();
        }
    }

    @Test
    void aScaleIsAValueOfItsType() {
        BlockRounding rounding = rounding(4, true, true, ElementType.FLOAT16);
        float[] weights = {0.1f, 0.7f, -0.33f, 0.2f};
        rounding.round(weights, 0, 4);
        assertThat(Float.float16ToFloat(Float.floatToFloat16(rounding.scale()))).isEqualTo(rounding.scale());
        assertThat(rounding.error()).isCloseTo(loss(rounding, weights), within(1e-9));
    }

    @ParameterizedTest
    @CsvSource({"NaN, FLOAT", "Infinity, FLOAT", "1e6, FLOAT16"})
    void theErrorOfWeightsWithoutAScaleIsInfinite(float weight, ElementType scales) {
        for (boolean symmetric : new boolean[] {true, false}) {
            BlockRounding rounding = rounding(4, symmetric, true, scales);
            rounding.round(new float[] {1, weight, 2}, 0, 3);
            assertThat(rounding.error()).isInfinite();
        }
    }
}
