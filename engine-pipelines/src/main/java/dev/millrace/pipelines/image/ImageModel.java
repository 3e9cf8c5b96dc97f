package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.util.List;

/**
 * The input and the outputs of a model of images.
 *
 * @param input the name of the image
 * @param element the type of its numbers: a floating type, or {@code uint8}
 * @param outputs the names of the outputs, in the model's order
 */
record ImageModel(String input, ElementType element, List<String> outputs) {
    /** How far a number may be from the whole one that it stands for. */
    private static final float ROUNDING = 1e-3f;

    /** Returns the values of a model with one mandatory input. */
    static ImageModel of(Inference inference) {
        List<ValueInfo> images = StageArguments.require(inference, "inference").inputs().stream()
                .filter(each -> !each.optional())
                .toList();
        if (images.size() != 1) {
            throw EngineException.invalidArgument("a model of images has one input, and this one has "
                    + images.stream().map(ValueInfo::name).toList());
        }
        return new ImageModel(
                images.getFirst().name(),
                element(images.getFirst()),
                inference.outputs().stream().map(ValueInfo::name).toList());
    }

    private static ElementType element(ValueInfo input) {
        ElementType element = input.type() instanceof TensorType tensor ? tensor.element() : null;
        if (element != null && !element.isFloating() && element != ElementType.UINT8) {
            throw EngineException.invalidArgument("the input of a model of images has floating numbers or uint8, and '"
                    + input.name() + "' has " + element.onnxName());
        }
        return element == null ? ElementType.FLOAT : element;
    }

    /** Returns the name of an output. */
    String output(int index) {
        if (index >= outputs.size()) {
            throw EngineException.invalidArgument("the model has no output " + index + ": it has " + outputs);
        }
        return outputs.get(index);
    }

    Inputs inputs(PreparedImage image) {
        return inputs(image.tensor());
    }

    /** Returns the input of numbers, in the type that the model takes. */
    Inputs inputs(Tensor image) {
        return Inputs.of(input, element == image.type() ? image : converted(image));
    }

    private Tensor converted(Tensor image) {
        float[] numbers = image.floats();
        if (element == ElementType.UINT8) {
            requireBytes(numbers);
        }
        Tensor converted = Tensor.allocate(element, image.shape());
        Elements.write(element, converted.segment(), 0, numbers, 0, numbers.length);
        return converted;
    }

    /** Rounds numbers that are whole but for rounding, and refuses others. */
    private static void requireBytes(float[] numbers) {
        for (int i = 0; i < numbers.length; i++) {
            float whole = Math.round(numbers[i]);
            if (Math.abs(numbers[i] - whole) > ROUNDING || whole < 0 || whole > 255) {
                throw EngineException.invalidArgument("the model takes uint8, and the image has the number "
                        + numbers[i] + "; use ImageInput.fromZeroTo255");
            }
            numbers[i] = whole;
        }
    }
}
