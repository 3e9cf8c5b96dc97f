package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.util.List;

/**
 * The names that a model of images gives its values.
 *
 * @param input the name of the image
 * @param outputs the names of the outputs, in the model's order
 */
record ImageModel(String input, List<String> outputs) {
    /** Returns the names of a model with one mandatory input. */
    static ImageModel of(Inference inference) {
        List<String> images = StageArguments.require(inference, "inference").inputs().stream()
                .filter(each -> !each.optional())
                .map(ValueInfo::name)
                .toList();
        if (images.size() != 1) {
            throw EngineException.invalidArgument("a model of images has one input, and this one has " + images);
        }
        return new ImageModel(
                images.getFirst(),
                inference.outputs().stream().map(ValueInfo::name).toList());
    }

    /** Returns the name of an output. */
    String output(int index) {
        if (index >= outputs.size()) {
            throw EngineException.invalidArgument("the model has no output " + index + ": it has " + outputs);
        }
        return outputs.get(index);
    }

    Inputs inputs(PreparedImage image) {
        return Inputs.of(input, image.tensor());
    }
}
