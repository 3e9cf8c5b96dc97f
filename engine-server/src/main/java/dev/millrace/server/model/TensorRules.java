package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelInput;
import dev.millrace.server.protocol.ModelOutput;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.session.Outputs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tensors of a configuration: their names, types, shapes with or without a batch axis, and reshapes. */
public final class TensorRules {
    private final ModelConfig config;
    private final Map<String, ModelInput> inputs = new LinkedHashMap<>();
    private final Map<String, ModelOutput> outputs = new LinkedHashMap<>();
    private final boolean reshapes;

    public TensorRules(ModelConfig config) {
        this.config = config;
        config.getInputList().forEach(input -> inputs.put(input.getName(), input));
        config.getOutputList().forEach(output -> outputs.put(output.getName(), output));
        reshapes = config.getOutputList().stream().anyMatch(ModelOutput::hasReshape);
    }

    /** Checks a request's tensors; returns them in the shapes of the model. */
    public Map<String, Tensor> checked(InferRequest request) {
        for (ModelInput input : inputs.values()) {
            if (!input.getOptional() && !request.inputs().containsKey(input.getName())) {
                throw EngineException.invalidArgument("model '" + config.getName() + "' needs input '" + input.getName()
                        + "'; the request has " + request.inputs().keySet());
            }
        }
        for (String output : request.outputs()) {
            if (!outputs.containsKey(output)) {
                throw EngineException.invalidArgument(
                        "model '" + config.getName() + "' has no output '" + output + "'; it has " + outputs.keySet());
            }
        }
        long batch = -1;
        var checked = new LinkedHashMap<String, Tensor>();
        for (Map.Entry<String, Tensor> each : request.inputs().entrySet()) {
            ModelInput input = inputs.get(each.getKey());
            if (input == null) {
                throw EngineException.invalidArgument("model '" + config.getName() + "' has no input '" + each.getKey()
                        + "'; it has " + inputs.keySet());
            }
            checked.put(each.getKey(), fitting(input, each.getValue()));
            if (isBatched()) {
                long rows = each.getValue().shape().dim(0);
                if (batch >= 0 && rows != batch) {
                    throw EngineException.invalidArgument(
                            "the inputs have batches of " + batch + " and " + rows + " rows");
                }
                batch = rows;
            }
        }
        return checked;
    }

    private Tensor fitting(ModelInput input, Tensor tensor) {
        String place = "input '" + input.getName() + "' of model '" + config.getName() + "'";
        Datatype declared = Datatype.of(input.getDataType());
        if (declared != null && declared.element() != tensor.type()) {
            throw EngineException.invalidArgument(
                    place + " is " + declared + "; the request has " + Datatype.require(tensor.type(), place));
        }
        int axes = isBatched() ? 1 : 0;
        Shape shape = tensor.shape();
        boolean fits = shape.rank() == input.getDimsCount() + axes;
        for (int i = axes; fits && i < shape.rank(); i++) {
            long dim = input.getDims(i - axes);
            fits = dim < 0 || dim == shape.dim(i);
        }
        if (!fits) {
            throw EngineException.invalidArgument(
                    place + " has the shape " + shape(input.getDimsList()) + "; the request has " + shape);
        }
        if (isBatched() && (shape.dim(0) < 1 || shape.dim(0) > config.getMaxBatchSize())) {
            throw EngineException.invalidArgument(place + " has a batch of " + shape.dim(0)
                    + " rows; the model takes 1 to " + config.getMaxBatchSize());
        }
        return input.hasReshape()
                ? tensor.reshaped(reshaped(shape, input.getReshape().getShapeList()))
                : tensor;
    }

    /** Returns the answer's outputs in the shapes of the configuration, those that the request wants. */
    public Outputs answer(InferRequest request, Outputs answer) {
        List<String> wanted = request.outputs().isEmpty()
                ? outputs.keySet().stream().filter(answer.names()::contains).toList()
                : request.outputs();
        Outputs kept = wanted.equals(answer.names()) ? answer : answer.only(wanted);
        if (!reshapes) {
            return kept;
        }
        var values = new ArrayList<Datum>();
        for (String name : kept.names()) {
            Datum value = kept.datum(name);
            ModelOutput output = outputs.get(name);
            values.add(
                    output != null && output.hasReshape() && value instanceof Tensor tensor
                            ? tensor.reshaped(reshaped(tensor.shape(), output.getDimsList()))
                            : value);
        }
        return new Outputs(kept.names(), values.toArray(new Datum[0]));
    }

    private Shape reshaped(Shape shape, List<Long> dims) {
        var all = new ArrayList<Long>();
        if (isBatched()) {
            all.add(shape.dim(0));
        }
        all.addAll(dims);
        return Shape.of(all);
    }

    /** Whether the first axis of all tensors is that of the batch. */
    public boolean isBatched() {
        return config.getMaxBatchSize() > 0;
    }

    /** Returns the extents of a tensor in requests, the batch axis included; -1 for open ones. */
    public List<Long> shape(List<Long> dims) {
        var all = new ArrayList<Long>();
        if (isBatched()) {
            all.add(-1L);
        }
        all.addAll(dims);
        return all;
    }
}
