package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.ModelRequest;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import java.util.List;

/** Stages from an image to the class of each of its pixels. */
public final class Segmenter {
    private Segmenter() {}

    /**
     * Returns a stage for a model whose first output is {@code [1, classes, height, width]}, of any height and width. A pixel has the class with the
     * largest number at the nearest place. An output with one class has probabilities: a pixel of more than 0.5 has class 1, others class 0.
     *
     * @param labels the names of the classes
     */
    public static Stage<RgbImage, LabelMask> of(Inference inference, ImageInput input, List<String> labels) {
        StageArguments.require(input, "input");
        List<String> names = StageArguments.all(labels, "labels");
        ImageModel model = ImageModel.of(inference);
        return Stage.of(inference, image -> {
            PreparedImage prepared = input.prepare(image);
            return new ModelRequest<>(
                    model.inputs(prepared), outputs -> mask(outputs.get(model.output(0)), prepared, names));
        });
    }

    private static LabelMask mask(Tensor output, PreparedImage prepared, List<String> labels) {
        if (output.shape().rank() != 4 || output.shape().dim(0) != 1) {
            throw EngineException.invalidArgument(
                    "a mask has the shape [1, classes, height, width], and the output has " + output.shape());
        }
        int channels = (int) output.shape().dim(1);
        int rows = (int) output.shape().dim(2);
        int columns = (int) output.shape().dim(3);
        float[] values = output.floats();
        RgbImage image = prepared.image();
        int[] classes = new int[image.width() * image.height()];
        for (int y = 0; y < image.height(); y++) {
            for (int x = 0; x < image.width(); x++) {
                Point inInput = prepared.placement().toInput(x + 0.5, y + 0.5);
                int column = Math.clamp((int) (inInput.x() * columns / prepared.width()), 0, columns - 1);
                int row = Math.clamp((int) (inInput.y() * rows / prepared.height()), 0, rows - 1);
                classes[y * image.width() + x] = classAt(values, row * columns + column, rows * columns, channels);
            }
        }
        return new LabelMask(image.width(), image.height(), classes, labels);
    }

    private static int classAt(float[] values, int at, int area, int channels) {
        if (channels == 1) {
            return values[at] > 0.5f ? 1 : 0;
        }
        int best = 0;
        for (int channel = 1; channel < channels; channel++) {
            if (values[channel * area + at] > values[best * area + at]) {
                best = channel;
            }
        }
        return best;
    }
}
