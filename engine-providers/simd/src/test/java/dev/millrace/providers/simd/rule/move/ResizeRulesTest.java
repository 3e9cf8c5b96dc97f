package dev.millrace.providers.simd.rule.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ResizeRulesTest {
    private final Random random = new Random(5);

    private static Attributes attributes(String mode, String coordinates) {
        return Attributes.of("mode", Attribute.of(mode))
                .with("coordinate_transformation_mode", Attribute.of(coordinates));
    }

    private static Value sized(Nodes nodes, Attributes attributes, Value x, long... sizes) {
        return nodes.add("Resize", attributes, x, null, null, nodes.constant(sizes));
    }

    @Test
    void allModesAndCoordinatesAgree() {
        for (String mode : List.of("nearest", "linear", "cubic")) {
            for (String coordinates : List.of(
                    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")) {
                long height = 1 + random.nextInt(12);
                long width = 1 + random.nextInt(30);
                try (var both = new Comparison(editor -> {
                    var nodes = new Nodes(editor, 19);
                    Value x = Comparison.floats(editor, "x", 4);
                    nodes.output(sized(nodes, attributes(mode, coordinates), x, 2, 3, height, width));
                })) {
                    both.agreesOn(Comparison.random(random, 2, 3, 5, 9))
                            .agreesOn(Comparison.random(random, 2, 3, 7, 3))
                            .withoutFallback();
                }
            }
        }
    }

    @Test
    void whatHasNoWeightDoesNotCountWhateverItIs() {
        for (String mode : List.of("linear", "cubic")) {
            for (String coordinates : List.of("half_pixel", "align_corners", "asymmetric")) {
                for (long size : new long[] {3, 9, 14, 15}) {
                    float[] numbers = new float[2 * 7 * 7];
                    numbers[8] = Float.NaN;
                    numbers[7 * 7 - 1] = Float.NaN;
                    numbers[7 * 7 + 20] = Float.POSITIVE_INFINITY;
                    numbers[7 * 7 + 28] = Float.NEGATIVE_INFINITY;
                    try (var both = new Comparison(editor -> {
                        var nodes = new Nodes(editor, 19);
                        Value x = Comparison.floats(editor, "x", 4);
                        nodes.output(sized(nodes, attributes(mode, coordinates), x, 1, 2, size, size));
                    })) {
                        both.agreesOn(Tensor.copyOf(numbers, 1, 2, 7, 7)).withoutFallback();
                    }
                }
            }
        }
    }

    @Test
    void allRoundingsAgree() {
        for (String rounding : List.of("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")) {
            for (float scale : new float[] {2, 3, 0.5f, 1.5f, 0.7f}) {
                try (var both = new Comparison(editor -> {
                    var nodes = new Nodes(editor, 13);
                    Attributes attributes =
                            attributes("nearest", "asymmetric").with("nearest_mode", Attribute.of(rounding));
                    Value x = Comparison.floats(editor, "x", 4);
                    nodes.output(nodes.add("Resize", attributes, x, null, nodes.constant(1, 1, scale, scale)));
                })) {
                    both.agreesOn(Comparison.random(random, 1, 4, 6, 8)).withoutFallback();
                }
            }
        }
    }

    @Test
    void placesThatFloatsRoundAgree() {
        for (String coordinates : List.of("half_pixel", "half_pixel_symmetric", "asymmetric", "tf_half_pixel_for_nn")) {
            for (String rounding : List.of("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")) {
                for (float scale : new float[] {0.3f, 0.6f, 0.7f, 1.1f, 1.3f, 1.6f, 2.6f}) {
                    try (var both = new Comparison(editor -> {
                        var nodes = new Nodes(editor, 13);
                        Attributes attributes =
                                attributes("nearest", coordinates).with("nearest_mode", Attribute.of(rounding));
                        Value x = Comparison.floats(editor, "x", 4);
                        nodes.output(nodes.add("Resize", attributes, x, null, nodes.constant(1, 1, scale, scale)));
                    })) {
                        both.agreesOn(Comparison.random(random, 1, 1, 40, 90)).withoutFallback();
                    }
                }
            }
        }
    }

    @Test
    void filtersAreWiderWhereTheImageShrinks() {
        for (String mode : List.of("linear", "cubic")) {
            for (int excludes = 0; excludes < 2; excludes++) {
                Attributes attributes = attributes(mode, "half_pixel")
                        .with("antialias", Attribute.of(1 - excludes))
                        .with("exclude_outside", Attribute.of(excludes));
                try (var both = new Comparison(editor -> {
                    var nodes = new Nodes(editor, 18);
                    nodes.output(sized(nodes, attributes, Comparison.floats(editor, "x", 4), 1, 2, 5, 7));
                })) {
                    both.agreesOn(Comparison.random(random, 1, 2, 16, 19)).withoutFallback();
                }
            }
        }
    }

    @Test
    void whatIsCroppedOutsideOfTheDataHasItsOwnValue() {
        Attributes attributes =
                attributes("linear", "tf_crop_and_resize").with("extrapolation_value", Attribute.of(10f));
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 4);
            Value region = nodes.constant(0, 0, 0.4f, -0.2f, 1, 1, 1.2f, 0.9f);
            nodes.output(nodes.add("Resize", attributes, x, region, null, nodes.constant(1L, 1L, 6L, 5L)));
        })) {
            both.agreesOn(Comparison.random(random, 1, 1, 8, 9)).withoutFallback();
        }
    }

    @Test
    void imagesInBlocksAreResizedThere() {
        for (String mode : List.of("nearest", "linear", "cubic")) {
            Tensor first = Comparison.random(random, 20, 3, 3, 3);
            Tensor second = Comparison.random(random, 5, 20, 1, 1);
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 13);
                Value x = Comparison.floats(editor, "x", 4);
                Value conv = nodes.add("Conv", Attributes.NONE, x, nodes.constant(first));
                Value larger = sized(nodes, attributes(mode, "half_pixel"), conv, 2, 20, 13, 9);
                nodes.output(nodes.add("Conv", Attributes.NONE, larger, nodes.constant(second)));
            })) {
                both.agreesOn(Comparison.random(random, 2, 3, 8, 8)).withoutFallback();
                assertThat(both.kernels())
                        .filteredOn(kernel -> kernel.startsWith("reorder"))
                        .hasSizeLessThan(2);
            }
        }
    }

    @Test
    void bytesAreTakenFromTheNearest() {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.input(editor, "x", ElementType.UINT8, 4);
            Value larger = sized(nodes, attributes("nearest", "half_pixel"), x, 1, 3, 11, 10);
            nodes.output(nodes.add("Cast", Attributes.of("to", Attribute.of(1)), larger));
        })) {
            Tensor image = Tensor.allocate(ElementType.UINT8, Shape.of(1, 3, 4, 5));
            image.segment().copyFrom(MemorySegment.ofArray(bytes(3 * 4 * 5)));
            both.agreesOn(image);
        }
    }

    private byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void upsamplingAsItOnceWasAgrees() {
        for (String mode : List.of("nearest", "linear")) {
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 9);
                Value x = Comparison.floats(editor, "x", 4);
                Attributes attributes = Attributes.of("mode", Attribute.of(mode));
                nodes.output(nodes.add("Upsample", attributes, x, nodes.constant(1f, 1f, 2f, 3f)));
            })) {
                both.agreesOn(Comparison.random(random, 1, 2, 3, 4)).withoutFallback();
            }
        }
    }
}
