package ai.onnxruntime;

import dev.millrace.graph.ir.ValueType;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A session of the engine with the names and descriptions of its inputs and outputs. */
final class OpenModel {
    private final Session session;
    private final Profile profile;
    private final boolean isFixed;
    private final Map<String, NodeInfo> inputs = new LinkedHashMap<>();
    private final Map<String, NodeInfo> outputs = new LinkedHashMap<>();
    private final Map<String, @Nullable ValueType> types = new HashMap<>();

    /**
     * Creates a model.
     *
     * @param fixed the extents of symbols that the options fix
     */
    OpenModel(Session session, Profile profile, Map<String, Long> fixed) {
        this.session = session;
        this.profile = profile;
        this.isFixed = !fixed.isEmpty();
        for (var input : session.inputs()) {
            if (!input.optional()) {
                inputs.put(input.name(), new NodeInfo(input.name(), Values.info(input.type(), fixed)));
            }
            types.put(input.name(), input.type());
        }
        for (var output : session.outputs()) {
            outputs.put(output.name(), new NodeInfo(output.name(), Values.info(output.type(), fixed)));
            types.put(output.name(), output.type());
        }
    }

    Session session() {
        return session;
    }

    Profile profile() {
        return profile;
    }

    Map<String, NodeInfo> inputs() {
        return inputs;
    }

    Map<String, NodeInfo> outputs() {
        return outputs;
    }

    /** Returns the declared type of an input or output; null if there is none. */
    @Nullable
    ValueType typeOf(String name) {
        return types.get(name);
    }

    /** Returns the inputs of a run; throws if they do not fit the model. */
    Inputs given(Map<String, ? extends OnnxTensorLike> values) throws OrtException {
        if (values.size() > inputs.size() || values.isEmpty() && !inputs.isEmpty()) {
            throw new OrtException("The model has " + inputs.size() + " inputs, and " + values.size() + " were given");
        }
        Inputs given = Inputs.empty();
        for (var entry : values.entrySet()) {
            NodeInfo input = inputs.get(entry.getKey());
            if (input == null) {
                throw new OrtException("The model has no input '" + entry.getKey() + "'; it has " + inputs.keySet());
            }
            OnnxTensorLike value = entry.getValue();
            value.checkClosed();
            if (isFixed && input.getInfo() instanceof TensorInfo info) {
                checkExtents(input.getName(), info.getShape(), value.getInfo().getShape());
            }
            given.and(input.getName(), value.dense());
        }
        return given;
    }

    /** Refuses extents that differ from those that the session's options fix. The engine checks the others. */
    private static void checkExtents(String name, long[] expected, long[] found) throws OrtException {
        for (int i = 0; i < Math.min(expected.length, found.length); i++) {
            if (expected[i] != -1 && expected[i] != found[i]) {
                throw Errors.invalidArgument("Input '" + name + "' has the extent " + found[i] + " along axis " + i
                        + ", and the session expects " + expected[i]);
            }
        }
    }

    /** Returns the names of a run's outputs; throws if they are no outputs, are none, or are named twice. */
    List<String> outputNames(Set<String> pinned, Set<String> requested) throws OrtException {
        var names = new ArrayList<String>(pinned);
        names.addAll(requested);
        if (names.isEmpty() || names.size() > outputs.size()) {
            throw new OrtException(
                    "The model has " + outputs.size() + " outputs, and " + names.size() + " were asked for");
        }
        for (String name : names) {
            if (!outputs.containsKey(name)) {
                throw new OrtException("The model has no output '" + name + "'; it has " + outputs.keySet());
            }
            if (pinned.contains(name) && requested.contains(name)) {
                throw new OrtException("Output '" + name + "' is pinned, and requested as well");
            }
        }
        return names;
    }

    /** Returns the tensor that an output is written into. */
    static OnnxTensor target(String name, OnnxValue value) throws OrtException {
        if (Objects.requireNonNull(value, name) instanceof OnnxTensor tensor) {
            tensor.checkClosed();
            return tensor;
        }
        throw Errors.invalidArgument("Output '" + name + "' can only be written into a tensor");
    }
}
