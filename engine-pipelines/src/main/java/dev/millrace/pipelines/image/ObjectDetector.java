package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.LabelScores;
import dev.millrace.pipelines.ModelRequest;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import java.util.ArrayList;
import java.util.List;

/** Stages from an image to the objects in it, in pixels of the image. */
public final class ObjectDetector {
    /** The numbers of a box. */
    private static final int BOX = 4;

    private ObjectDetector() {}

    /**
     * Returns a stage for a model of the YOLO family. Its first output has a column or a row for each box: centre, width and height in pixels of
     * the input, then a score for each label (version 8 and later), or the score of the box and a score for each label (version 5 to 7).
     */
    public static Stage<RgbImage, List<Detection>> yolo(
            Inference inference, ImageInput input, List<String> labels, DetectionOptions options) {
        StageArguments.require(input, "input");
        StageArguments.require(options, "options");
        List<String> names = StageArguments.all(labels, "labels");
        ImageModel model = ImageModel.of(inference);
        return Stage.of(inference, image -> {
            PreparedImage prepared = input.prepare(image);
            return new ModelRequest<>(
                    model.inputs(prepared), outputs -> yolo(outputs.get(model.output(0)), prepared, names, options));
        });
    }

    private static List<Detection> yolo(
            Tensor output, PreparedImage image, List<String> labels, DetectionOptions options) {
        BoxTable table = BoxTable.of(output, labels.size());
        var found = new ArrayList<Detection>();
        float[] scores = new float[labels.size()];
        for (int i = 0; i < table.boxes(); i++) {
            for (int label = 0; label < scores.length; label++) {
                scores[label] = table.score(i, label);
            }
            int best = LabelScores.argMax(scores, 0, scores.length);
            if (scores[best] >= options.score()) {
                Box box = Box.around(table.get(i, 0), table.get(i, 1), table.get(i, 2), table.get(i, 3));
                found.add(detection(box, best, scores[best], image, labels));
            }
        }
        return Suppression.strongest(found, options.overlap());
    }

    private static Detection detection(Box box, int label, double score, PreparedImage image, List<String> labels) {
        Box inImage = image.placement().toImage(box).within(image.image());
        return new Detection(inImage, label, LabelScores.label(labels, label), score, List.of());
    }

    /** The output of a YOLO model, whose boxes are rows or columns. */
    private record BoxTable(float[] values, int boxes, int columns, boolean transposed, boolean hasBoxScore) {
        static BoxTable of(Tensor output, int labels) {
            long[] dims = output.shape().toArray();
            for (int axis = 1; dims.length == 3 && dims[0] == 1 && axis <= 2; axis++) {
                boolean hasBoxScore = dims[axis] == BOX + 1 + labels;
                if (hasBoxScore || dims[axis] == BOX + labels) {
                    return new BoxTable(
                            output.floats(), (int) dims[3 - axis], (int) dims[axis], axis == 1, hasBoxScore);
                }
            }
            throw EngineException.invalidArgument("boxes with " + labels + " labels have " + (BOX + labels) + " or "
                    + (BOX + 1 + labels) + " numbers each, and the output has the shape " + output.shape());
        }

        float get(int box, int column) {
            return values[transposed ? column * boxes + box : box * columns + column];
        }

        float score(int box, int label) {
            return hasBoxScore ? get(box, BOX) * get(box, BOX + 1 + label) : get(box, BOX + label);
        }
    }

    /**
     * Returns a stage for a model of the SSD family without a decoder of its own left: one output {@code [1, boxes, 4]} has left, top, right
     * and bottom as fractions of the input, another one {@code [1, boxes, classes]} has probabilities.
     *
     * @param labels the names of the classes
     * @param background the index of the class that stands for no object; -1 for none
     */
    public static Stage<RgbImage, List<Detection>> ssd(
            Inference inference, ImageInput input, List<String> labels, int background, DetectionOptions options) {
        StageArguments.require(input, "input");
        StageArguments.require(options, "options");
        List<String> names = StageArguments.all(labels, "labels");
        ImageModel model = ImageModel.of(inference);
        return Stage.of(inference, image -> {
            PreparedImage prepared = input.prepare(image);
            return new ModelRequest<>(model.inputs(prepared), outputs -> {
                Tensor first = outputs.get(model.output(0));
                Tensor second = outputs.get(model.output(1));
                boolean boxesFirst =
                        first.shape().dimAt(-1) == BOX && second.shape().dimAt(-1) == names.size();
                return ssd(
                        boxesFirst ? first : second, boxesFirst ? second : first, prepared, names, background, options);
            });
        });
    }

    private static List<Detection> ssd(
            Tensor boxes,
            Tensor scores,
            PreparedImage image,
            List<String> labels,
            int background,
            DetectionOptions options) {
        long count = boxes.elements() / BOX;
        if (boxes.shape().dimAt(-1) != BOX || scores.elements() != count * labels.size()) {
            throw EngineException.invalidArgument("the outputs have the shapes " + boxes.shape() + " and "
                    + scores.shape() + "; " + labels.size() + " labels need [1, boxes, 4] and [1, boxes, "
                    + labels.size() + "]");
        }
        float[] corners = boxes.floats();
        float[] probabilities = scores.floats();
        var found = new ArrayList<Detection>();
        for (int i = 0; i < count; i++) {
            for (int label = 0; label < labels.size(); label++) {
                float score = probabilities[i * labels.size() + label];
                if (label != background && score >= options.score()) {
                    int at = i * BOX;
                    var box = new Box(
                            corners[at] * image.width(),
                            corners[at + 1] * image.height(),
                            corners[at + 2] * image.width(),
                            corners[at + 3] * image.height());
                    found.add(detection(box, label, score, image, labels));
                }
            }
        }
        return Suppression.strongest(found, options.overlap());
    }
}
