package dev.millrace.pipelines.image;

import dev.millrace.pipelines.ModelRequest;
import dev.millrace.pipelines.Stage;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;

/** Stages that turn a line of text which is upside down, by PP-OCR's model of directions. */
public final class TextDirection {
    private static final int HEIGHT = 48;
    private static final int WIDTH = 192;

    private TextDirection() {}

    /**
     * Returns a stage whose results are the images, turned by 180 degrees where that is likely.
     *
     * @param least the smallest probability at which an image is turned; PP-OCR uses 0.9
     */
    public static Stage<RgbImage, RgbImage> of(Inference inference, double least) {
        ImageModel model = ImageModel.of(inference);
        return Stage.of(inference, line -> {
            Inputs inputs = model.inputs(LineInput.of(line, HEIGHT, WIDTH, WIDTH));
            return new ModelRequest<>(inputs, outputs -> {
                float[] probabilities = outputs.get(model.output(0)).floats();
                return probabilities[1] > probabilities[0] && probabilities[1] > least ? line.upsideDown() : line;
            });
        });
    }
}
