package dev.millrace.session.request;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.OtherThread;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks a request's inputs and options against the model's declarations, before anything runs. */
public final class RequestCheck {
    private final List<ValueInfo> declared;
    private final List<ValueInfo> outputs;
    private final List<String> outputNames;
    private final Map<String, ValueInfo> byName = new HashMap<>();
    /** An input that only generators give; null for none. */
    private final @Nullable ValueInfo added;

    private final SharedExtents shared;

    private RequestCheck(ModelFace face, SharedExtents shared) {
        this.declared = face.inputs();
        this.outputs = face.outputs();
        this.outputNames = outputs.stream().map(ValueInfo::name).toList();
        this.added = face.room().isAdded() ? GrowingCaches.MASK : null;
        this.shared = shared;
        declared.forEach(info -> byName.put(info.name(), info));
    }

    public static RequestCheck of(ModelFace face, Plan plan) {
        var defaults = new ArrayList<@Nullable Tensor>();
        plan.inputs().forEach(slot -> defaults.add(plan.defaults().get(slot)));
        return new RequestCheck(face, new SharedExtents(face.inputs(), defaults));
    }

    public void check(Inputs inputs, RunOptions options) {
        check(inputs);
        for (String output : options.outputs()) {
            if (!outputNames.contains(output)) {
                throw EngineException.invalidArgument("Invalid output name: " + output + "; there are " + outputNames);
            }
        }
        if (!options.into().isEmpty()) {
            CallerOutputs.check(options, outputs);
        }
    }

    private void check(Inputs inputs) {
        int matched = 0;
        for (int i = 0; i < declared.size(); i++) {
            ValueInfo info = declared.get(i);
            Datum value = inputs.input(info.name());
            if (value != null) {
                matched++;
                check(info, value);
            } else if (!info.optional()) {
                throw EngineException.invalidArgument(
                        "Missing Input: " + info.name() + "; the model takes " + declared);
            }
        }
        Datum mask = added == null ? null : inputs.input(added.name());
        if (added != null && mask != null) {
            matched++;
            check(added, mask);
        }
        if (matched != inputs.asMap().size()) {
            for (String name : inputs.asMap().keySet()) {
                if (!byName.containsKey(name)) {
                    throw EngineException.invalidArgument(
                            "Invalid input name: " + name + "; the model takes " + declared);
                }
            }
        }
        shared.check(inputs);
    }

    /** Refuses inputs in memory that only the caller's thread may read, for a run on another thread. */
    public void checkForOtherThreads(Inputs inputs) {
        for (ValueInfo info : declared) {
            if (inputs.input(info.name()) instanceof Tensor tensor && !OtherThread.mayRead(tensor)) {
                throw EngineException.invalidArgument("Input '" + info.name()
                        + "' is in memory that only its own thread may read, and a run that is not waited for has "
                        + "another: allocate it in Arena.ofShared() or Arena.ofAuto(), or call run");
            }
        }
    }

    /** Checks a value against its declaration. */
    public static void check(ValueInfo info, Datum value) {
        ValueType declared = info.type();
        if (declared == null) {
            return;
        }
        checkType(info, declared, value);
        if (value instanceof Tensor tensor && declared instanceof ValueType.TensorType type && type.shape() != null) {
            checkShape(info, type.shape(), tensor.shape());
        }
    }

    /** Checks the kind of a value. Elements of sequences, maps and optionals may have any shape. */
    private static void checkType(ValueInfo info, ValueType type, Datum value) {
        // Almost all inputs are tensors, and the switch would have to be linked for the first of them.
        if (type instanceof ValueType.TensorType tensorType && value instanceof Tensor tensor) {
            if (tensorType.element() != null && tensor.type() != tensorType.element()) {
                throw EngineException.invalidArgument("Unexpected input data type for '" + info.name() + "': got "
                        + tensor.type() + ", expected " + tensorType.element());
            }
            return;
        }
        switch (type) {
            case ValueType.SequenceType sequenceType
            when value instanceof TensorSequence sequence ->
                sequence.elements().forEach(element -> checkType(info, sequenceType.element(), element));
            case ValueType.MapType mapType
            when value instanceof MapDatum map ->
                map.entries().values().forEach(entry -> checkType(info, mapType.value(), entry));
            case ValueType.OptionalType optionalType -> {
                Datum inside = value instanceof OptionalDatum optional ? optional.value() : value;
                if (inside != null) {
                    checkType(info, optionalType.element(), inside);
                }
            }
            case ValueType.SparseType _ -> {}
            default ->
                throw EngineException.invalidArgument("Input '" + info.name() + "' is a "
                        + value.getClass().getSimpleName() + " where the model takes " + type);
        }
    }

    private static void checkShape(ValueInfo info, SymbolicShape declared, Shape shape) {
        if (declared.rank() != shape.rank()) {
            throw EngineException.invalidArgument("Invalid rank for input: " + info.name() + ". Got: " + shape.rank()
                    + " " + shape + ", expected: " + declared.rank() + " " + declared);
        }
        for (int i = 0; i < shape.rank(); i++) {
            if (declared.dim(i) instanceof Dim.Known known && known.extent() != shape.dim(i)) {
                throw EngineException.invalidArgument("Got invalid dimensions for input: " + info.name()
                        + ". Axis " + i + " is " + shape.dim(i) + " in " + shape + ", expected " + known.extent()
                        + " as in " + declared);
            }
        }
    }
}
