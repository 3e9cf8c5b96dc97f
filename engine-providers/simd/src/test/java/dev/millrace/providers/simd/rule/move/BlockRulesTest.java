package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockRulesTest {
    private final Random random = new Random(9);

    @Test
    void pixelsBecomeChannels() {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Attributes attributes = Attributes.of("blocksize", Attribute.of(2));
            nodes.output(nodes.add("SpaceToDepth", attributes, Comparison.floats(editor, "x", 4)));
        })) {
            both.agreesOn(Comparison.random(random, 2, 3, 4, 6))
                    .agreesOn(Comparison.random(random, 1, 1, 8, 2))
                    .withoutFallback();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DCR", "CRD"})
    void channelsBecomePixels(String mode) {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Attributes attributes = Attributes.of("blocksize", Attribute.of(2)).with("mode", Attribute.of(mode));
            Value transposed = nodes.add(
                    "Transpose", Attributes.of("perm", Attribute.of(0, 3, 1, 2)), Comparison.floats(editor, "x", 4));
            nodes.output(nodes.add("DepthToSpace", attributes, transposed));
        })) {
            both.agreesOn(Comparison.random(random, 2, 3, 5, 8))
                    .agreesOn(Comparison.random(random, 1, 1, 2, 4))
                    .withoutFallback();
        }
    }

    @Test
    void tilesOfAnyShapeAgree() {
        for (int i = 0; i < 20; i++) {
            int rank = 1 + random.nextInt(4);
            long[] dims = random.longs(rank, 1, 5).toArray();
            long[] repeats = random.longs(rank, 1, 4).toArray();
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 13);
                Value x = Comparison.floats(editor, "x", rank);
                Value tiled = nodes.add("Tile", Attributes.NONE, x, nodes.constant(repeats));
                nodes.output(nodes.add("Exp", Attributes.NONE, tiled));
            })) {
                both.agreesOn(Comparison.random(random, dims)).withoutFallback();
            }
        }
    }

    /** Factors of channels are packed twice: folded from the statistics, then filled up to whole blocks. */
    @ParameterizedTest
    @ValueSource(ints = {32, 40})
    void statisticsThatAreKnownNormaliseImagesInBlocks(int channels) {
        float[][] statistics = new float[4][channels];
        for (float[] values : statistics) {
            for (int i = 0; i < channels; i++) {
                values[i] = 0.5f + random.nextFloat();
            }
        }
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 15);
            Attributes window = Attributes.of("kernel_shape", Attribute.of(2, 2));
            Value normalised = nodes.add(
                    "BatchNormalization",
                    Attributes.NONE,
                    nodes.add("MaxPool", window, Comparison.floats(editor, "x", 4)),
                    nodes.constant(statistics[0]),
                    nodes.constant(statistics[1]),
                    nodes.constant(statistics[2]),
                    nodes.constant(statistics[3]));
            nodes.output(nodes.add("AveragePool", window, normalised));
        })) {
            both.agreesOn(Comparison.random(random, 2, channels, 9, 10)).withoutFallback();
        }
    }
}
