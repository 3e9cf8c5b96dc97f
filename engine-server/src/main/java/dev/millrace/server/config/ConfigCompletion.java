package dev.millrace.server.config;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.server.protocol.DataType;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelInput;
import dev.millrace.server.protocol.ModelOutput;
import dev.millrace.server.protocol.ModelSequenceBatching;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.session.Session;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Completes a configuration from its model, and refuses one that contradicts it. */
public final class ConfigCompletion {
    private final ModelConfig config;
    private final Map<String, ValueInfo> inputs = new LinkedHashMap<>();
    private final Map<String, ValueInfo> outputs = new LinkedHashMap<>();
    /** The inputs and outputs that requests do not have, because the server keeps them. */
    private final Set<String> hidden = new HashSet<>();

    private ConfigCompletion(ModelConfig config, Session session) {
        this.config = config;
        session.inputs().forEach(each -> inputs.put(each.name(), each));
        session.outputs().forEach(each -> outputs.put(each.name(), each));
        ModelSequenceBatching sequences = config.getSequenceBatching();
        sequences.getControlInputList().forEach(each -> hidden.add(each.getName()));
        for (ModelSequenceBatching.State state : sequences.getStateList()) {
            hidden.add(state.getInputName());
            hidden.add(state.getOutputName());
        }
    }

    public static ModelConfig of(ModelConfig config, Session session, String name) {
        return new ConfigCompletion(config, session).complete(name);
    }

    private ModelConfig complete(String name) {
        var complete = config.toBuilder().setName(name);
        if (config.getPlatform().isEmpty()) {
            complete.setPlatform(ConfigRules.PLATFORM);
        }
        complete.clearInput();
        complete.clearOutput();
        var named = new HashSet<String>();
        for (ModelInput input : config.getInputList()) {
            named.add(input.getName());
            complete.addInput(completed(input, require(inputs, input.getName(), "input")));
        }
        for (ValueInfo info : inputs.values()) {
            if (!named.contains(info.name()) && !hidden.contains(info.name())) {
                complete.addInput(
                        completed(ModelInput.newBuilder().setName(info.name()).build(), info));
            }
        }
        named.clear();
        for (ModelOutput output : config.getOutputList()) {
            named.add(output.getName());
            complete.addOutput(completed(output, require(outputs, output.getName(), "output")));
        }
        for (ValueInfo info : outputs.values()) {
            boolean isTensor = info.type() == null || info.type() instanceof ValueType.TensorType;
            if (isTensor && !named.contains(info.name()) && !hidden.contains(info.name())) {
                complete.addOutput(
                        completed(ModelOutput.newBuilder().setName(info.name()).build(), info));
            }
        }
        return complete.build();
    }

    private static ValueInfo require(Map<String, ValueInfo> values, String name, String kind) {
        ValueInfo found = values.get(name);
        if (found == null) {
            throw EngineException.invalidArgument(
                    ConfigFile.NAME + " has " + kind + " '" + name + "', and the model has " + values.keySet());
        }
        return found;
    }

    private ModelInput completed(ModelInput input, ValueInfo info) {
        var complete = input.toBuilder()
                .setDataType(type(input.getDataType(), info))
                .setOptional(input.getOptional() || info.optional());
        if (input.getDimsCount() == 0 && !input.hasReshape()) {
            complete.addAllDims(dims(info));
        } else {
            check(input.hasReshape() ? input.getReshape().getShapeList() : input.getDimsList(), info);
        }
        return complete.build();
    }

    private ModelOutput completed(ModelOutput output, ValueInfo info) {
        var complete = output.toBuilder().setDataType(type(output.getDataType(), info));
        if (output.getDimsCount() == 0) {
            complete.addAllDims(dims(info));
        } else {
            check(output.hasReshape() ? output.getReshape().getShapeList() : output.getDimsList(), info);
        }
        return complete.build();
    }

    private static DataType type(DataType said, ValueInfo info) {
        if (!(info.type() instanceof ValueType.TensorType tensor) || tensor.element() == null) {
            if (said == DataType.TYPE_INVALID) {
                throw EngineException.invalidArgument(
                        "'" + info + "' is no tensor of a known type, as the protocol needs; " + ConfigFile.NAME
                                + " can name the type");
            }
            return said;
        }
        DataType own =
                Datatype.require(tensor.element(), "'" + info.name() + "'").configured();
        if (said != DataType.TYPE_INVALID && said != own) {
            throw EngineException.invalidArgument(
                    ConfigFile.NAME + " says that '" + info.name() + "' is " + said + "; the model has " + own);
        }
        return own;
    }

    private static @Nullable List<Dim> shape(ValueInfo info) {
        return info.type() instanceof ValueType.TensorType tensor && tensor.shape() != null
                ? tensor.shape().dims()
                : null;
    }

    /** Returns the extents without the batch axis. */
    private List<Long> dims(ValueInfo info) {
        List<Dim> shape = shape(info);
        if (shape == null) {
            throw EngineException.invalidArgument("the model does not say how many axes '" + info.name()
                    + "' has; name its dims in " + ConfigFile.NAME);
        }
        return withoutBatch(shape, info).stream().map(Dim::extentOrMinusOne).toList();
    }

    private List<Dim> withoutBatch(List<Dim> shape, ValueInfo info) {
        if (config.getMaxBatchSize() == 0) {
            return shape;
        }
        boolean open = !shape.isEmpty() && (!shape.getFirst().isKnown() || config.getMaxBatchSize() == 1);
        if (!open) {
            throw EngineException.invalidArgument(ConfigFile.NAME + " has max_batch_size " + config.getMaxBatchSize()
                    + ", and '" + info + "' has no open first axis; max_batch_size 0 leaves the shapes as they are");
        }
        return shape.subList(1, shape.size());
    }

    private void check(List<Long> said, ValueInfo info) {
        List<Dim> shape = shape(info);
        if (shape == null) {
            return;
        }
        var own = new ArrayList<>(withoutBatch(shape, info));
        boolean fits = own.size() == said.size();
        for (int i = 0; fits && i < own.size(); i++) {
            fits = said.get(i) < 0 || !own.get(i).isKnown() || own.get(i).is(said.get(i));
        }
        if (!fits) {
            throw EngineException.invalidArgument(ConfigFile.NAME + " says that '" + info.name() + "' has the extents "
                    + said + "; the model has " + own);
        }
    }
}
