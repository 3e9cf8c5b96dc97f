package dev.millrace.bench.nets;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * A net of MobileNet v2's blocks for images of 224×224, its batch norms folded into its convolutions as exporters do.
 */
public final class MobileNet {
    private static final int EXTENT = 224;
    private static final int CHANNELS = 3;
    private static final int STEM = 32;
    private static final int HEAD = 1280;
    private static final int CLASSES = 1000;

    private final Layers layers;

    /**
     * A sequence of blocks: the factor by which they widen inside, their output channels, their
     * number, and the stride of the first.
     */
    private record Stage(int widening, int out, int blocks, int stride) {}

    private static final List<Stage> STAGES = List.of(
            new Stage(1, 16, 1, 1),
            new Stage(6, 24, 2, 2),
            new Stage(6, 32, 3, 2),
            new Stage(6, 64, 4, 2),
            new Stage(6, 96, 3, 1),
            new Stage(6, 160, 3, 2),
            new Stage(6, 320, 1, 1));

    private MobileNet(Layers layers) {
        this.layers = layers;
    }

    /** Returns the net in float. */
    public static byte[] floats(WeightDraw weights) {
        var layers = new FloatLayers(weights);
        new MobileNet(layers).build();
        return layers.bytes();
    }

    /** Returns the net quantised to bytes, with ranges calibrated on one random image. */
    public static byte[] quantised(WeightDraw weights) throws Exception {
        var layers = new QuantisedLayers(weights, calibrate(weights));
        new MobileNet(layers).build();
        return layers.bytes();
    }

    private void build() {
        Value x = layers.image("x", CHANNELS, EXTENT);
        x = layers.conv(x, new Layers.Window(CHANNELS, STEM, 3, 2, false, true));
        int channels = STEM;
        for (Stage stage : STAGES) {
            for (int i = 0; i < stage.blocks(); i++) {
                x = block(x, channels, stage, i == 0 ? stage.stride() : 1);
                channels = stage.out();
            }
        }
        x = layers.conv(x, new Layers.Window(channels, HEAD, 1, 1, false, true));
        layers.output("y", layers.dense(layers.average(x), HEAD, CLASSES));
    }

    private Value block(Value x, int channels, Stage stage, int stride) {
        int inside = channels * stage.widening();
        Value y = x;
        if (inside != channels) {
            y = layers.conv(y, new Layers.Window(channels, inside, 1, 1, false, true));
        }
        y = layers.conv(y, new Layers.Window(inside, inside, 3, stride, true, true));
        y = layers.conv(y, new Layers.Window(inside, stage.out(), 1, 1, false, false));
        return stride == 1 && channels == stage.out() ? layers.add(x, y) : y;
    }

    private static List<Range> calibrate(WeightDraw weights) throws Exception {
        var layers = new FloatLayers(weights);
        new MobileNet(layers).build();
        Tensor image = image();
        int count = layers.activations().size();
        for (int i = 1; i < count - 1; i++) {
            layers.output("activation" + i, layers.activations().get(i));
        }
        Path file = Files.createTempFile("millrace-calibration", ".onnx");
        try {
            Files.write(file, layers.bytes());
            try (var onnxRuntime = new OnnxRuntime(file, 1, OptLevel.BASIC_OPT)) {
                onnxRuntime.create();
                Map<String, Tensor> seen = onnxRuntime.answer(Inputs.of("x", image));
                var ranges = new ArrayList<Range>();
                ranges.add(Range.of(image.floats()));
                for (int i = 1; i < count - 1; i++) {
                    ranges.add(rangeOf(seen, "activation" + i));
                }
                ranges.add(rangeOf(seen, "y"));
                return ranges;
            }
        } finally {
            Files.delete(file);
        }
    }

    private static Range rangeOf(Map<String, Tensor> seen, String name) {
        return Range.of(Objects.requireNonNull(seen.get(name), name).floats());
    }

    private static Tensor image() {
        float[] values = new float[CHANNELS * EXTENT * EXTENT];
        var random = new Random(1);
        for (int i = 0; i < values.length; i++) {
            values[i] = 2 * random.nextFloat() - 1;
        }
        return Tensor.copyOf(values, 1, CHANNELS, EXTENT, EXTENT);
    }
}
