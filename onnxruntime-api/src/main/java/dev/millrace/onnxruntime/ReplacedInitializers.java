package dev.millrace.onnxruntime;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Replaces initializers of a model. */
public final class ReplacedInitializers {
    private final GraphEditor editor;
    private final Map<String, Value> constants = new HashMap<>();
    private final Map<String, Value> inputs = new HashMap<>();

    private ReplacedInitializers(Model model) {
        editor = new GraphEditor(model.graph());
        model.graph().constants().forEach(value -> constants.put(value.name(), value));
        for (Value input : model.graph().inputs()) {
            if (model.graph().defaultOf(input) != null) {
                inputs.put(input.name(), input);
            }
        }
    }

    /**
     * Replaces initializers in place.
     *
     * @param optional the values of initializers that the model may have
     * @param required the values of initializers that the model must have
     */
    public static void replace(Model model, Map<String, Tensor> optional, Map<String, Tensor> required) {
        var initializers = new ReplacedInitializers(model);
        required.forEach((name, value) -> {
            if (!initializers.replace(name, value)) {
                throw new EngineException(Status.FAIL, "the model has no initializer '" + name + "'");
            }
        });
        optional.forEach(initializers::replace);
    }

    /** Replaces an initializer; returns whether there is one. */
    private boolean replace(String name, Tensor value) {
        Value input = inputs.get(name);
        if (input != null) {
            checkFits(name, editor.graph().defaultOf(input), value);
            editor.defaultInput(input, value);
            return true;
        }
        Value old = constants.get(name);
        if (old == null) {
            return false;
        }
        checkFits(name, old.constant(), value);
        editor.rename(old, name + "__replaced");
        editor.replaceUses(old, editor.addConstant(name, value));
        editor.removeConstant(old);
        return true;
    }

    private static void checkFits(String name, @Nullable Tensor old, Tensor value) {
        if (old != null && (old.type() != value.type() || !old.shape().equals(value.shape()))) {
            throw EngineException.invalidArgument(
                    "initializer '" + name + "' is a " + old + ", and cannot be replaced by a " + value);
        }
    }
}
