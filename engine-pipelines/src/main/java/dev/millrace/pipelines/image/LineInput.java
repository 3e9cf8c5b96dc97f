package dev.millrace.pipelines.image;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorParts;

/** The input of models of one line of text: a height, and a width that follows from the line. */
final class LineInput {
    private LineInput() {}

    /**
     * Returns the input of a line whose image keeps its shape. Behind it are zeros.
     *
     * @param least the smallest width of the input
     * @param most the largest width of the input: longer lines become narrower
     */
    static Tensor of(RgbImage line, int height, int least, int most) {
        int width = Math.clamp((int) Math.ceil((double) height * line.width() / line.height()), 1, most);
        Tensor tensor = ImageInput.of(width, height)
                .fromMinusOneToOne()
                .blueFirst()
                .prepare(line)
                .tensor();
        return width >= least ? tensor : TensorParts.pad(tensor, tensor.shape().with(3, least));
    }
}
