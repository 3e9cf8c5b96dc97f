package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.LabelScores;
import dev.millrace.pipelines.ModelRequest;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.session.Outputs;
import java.util.ArrayList;
import java.util.List;

/** Stages from an image to the faces in it, with eyes, nose, mouth and ears. */
public final class FaceDetector {
    private static final int SIZE = 128;
    /** The numbers of a box: centre, size, and six points. */
    private static final int NUMBERS = 16;
    /** The first number of the points. */
    private static final int POINTS = 4;

    private FaceDetector() {}

    /** The limits of the model's authors: a score of 0.5, and blending above an overlap of 0.3. */
    public static DetectionOptions defaultOptions() {
        return new DetectionOptions(0.5, 0.3);
    }

    /**
     * Returns a stage for the model BlazeFace for front cameras: 896 boxes in cells of 8 and 16 pixels of an input of 128 pixels. The points of a
     * face are its right eye, left eye, nose, mouth, right ear and left ear.
     */
    public static Stage<RgbImage, List<Detection>> blazeFace(Inference inference, DetectionOptions options) {
        StageArguments.require(options, "options");
        ImageModel model = ImageModel.of(inference);
        ImageInput input =
                ImageInput.of(SIZE, SIZE).letterboxed(0).channelsLast().fromMinusOneToOne();
        return Stage.of(inference, image -> {
            PreparedImage prepared = input.prepare(image);
            return new ModelRequest<>(model.inputs(prepared), outputs -> {
                var found = new ArrayList<Detection>();
                for (int stride : new int[] {8, 16}) {
                    addFaces(outputs, stride, prepared, options.score(), found);
                }
                return Suppression.blended(found, options.overlap());
            });
        });
    }

    /** Returns the number of boxes of a cell. */
    private static int boxes(int stride) {
        return stride == 8 ? 2 : 6;
    }

    private static void addFaces(
            Outputs outputs, int stride, PreparedImage image, double least, List<Detection> found) {
        int cells = SIZE / stride;
        int count = cells * cells * boxes(stride);
        float[] logits = output(outputs, count).floats();
        float[] numbers = output(outputs, count * NUMBERS).floats();
        for (int i = 0; i < count; i++) {
            double score = LabelScores.sigmoid(logits[i]);
            if (score >= least) {
                int cell = i / boxes(stride);
                double x = (cell % cells + 0.5) * stride;
                double y = (cell / cells + 0.5) * stride;
                found.add(face(numbers, i * NUMBERS, x, y, score, image.placement()));
            }
        }
    }

    private static Detection face(float[] numbers, int at, double x, double y, double score, ImagePlacement placement) {
        Box box = Box.around(x + numbers[at], y + numbers[at + 1], numbers[at + 2], numbers[at + 3]);
        var points = new ArrayList<Point>();
        for (int i = at + POINTS; i < at + NUMBERS; i += 2) {
            points.add(placement.toImage(x + numbers[i], y + numbers[i + 1]));
        }
        return new Detection(placement.toImage(box), 0, "face", score, points);
    }

    /** Returns the output with so many numbers: exporters give the outputs different names. */
    private static Tensor output(Outputs outputs, int numbers) {
        for (String name : outputs.names()) {
            if (outputs.get(name).elements() == numbers) {
                return outputs.get(name);
            }
        }
        throw EngineException.invalidArgument("no output has " + numbers + " numbers, as BlazeFace's have: " + outputs);
    }
}
