package dev.millrace.session.request;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.ValueInfo;
import java.util.List;
import java.util.Map;

/** Outputs that go into the caller's tensors. */
public final class CallerOutputs {
    private CallerOutputs() {}

    /** Refuses, before anything runs, what cannot be written. */
    static void check(RunOptions options, List<ValueInfo> outputs) {
        options.into().forEach((name, tensor) -> {
            ValueInfo output = outputs.stream()
                    .filter(info -> info.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> EngineException.invalidArgument("Invalid output name: " + name + "; there are "
                            + outputs.stream().map(ValueInfo::name).toList()));
            boolean fits = !(output.type() instanceof ValueType.TensorType type)
                    || type.element() == null
                    || type.element() == tensor.type();
            if (!fits || tensor.type() == ElementType.STRING || tensor.segment().isReadOnly()) {
                throw EngineException.invalidArgument("output '" + output + "' cannot be written into a " + tensor
                        + ": it needs one of the output's type"
                        + " that is no string, over memory that may be written");
            }
        });
    }

    /** The outputs, of which those are the caller's tensors that were to be. */
    public static Outputs fill(Outputs all, Map<String, Tensor> into) {
        Datum[] values = all.asMap().values().toArray(new Datum[0]);
        try {
            for (int i = 0; i < values.length; i++) {
                Tensor target = into.get(all.names().get(i));
                if (target != null) {
                    values[i] = filled(all.names().get(i), values[i], target);
                }
            }
        } catch (RuntimeException | Error e) {
            all.close();
            throw e;
        }
        return new Outputs(all.names(), values);
    }

    private static Tensor filled(String name, Datum value, Tensor target) {
        if (!(value instanceof Tensor made)
                || made.type() != target.type()
                || !made.shape().equals(target.shape())) {
            throw EngineException.invalidArgument("output '" + name + "' came out as a " + value
                    + ", which does not fit the " + target + " given for it");
        }
        long bytes = made.type().bytes(made.elements());
        // held and not asked for its segment: so its memory is used again
        Tensor held = made.retain();
        try {
            target.segment().asSlice(0, bytes).copyFrom(held.segment().asSlice(0, bytes));
        } finally {
            made.release();
            made.close();
        }
        return target.reshaped(target.shape());
    }
}
