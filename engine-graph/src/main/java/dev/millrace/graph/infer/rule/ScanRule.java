package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Scan: the body sees one slice of each scanned input; before opset 9 it does so for each member of a batch. */
final class ScanRule {
    private final InferenceContext c;
    private final Graph body;
    private final boolean batched;
    private final int firstInput;
    private final int scanned;
    private final int states;

    private ScanRule(InferenceContext c) {
        this.c = c;
        this.body = c.attributes().graph("body");
        this.batched = c.opset() < 9;
        this.firstInput = batched ? 1 : 0;
        long count = c.attributes().integer("num_scan_inputs");
        int most = Math.max(0, c.inputs() - firstInput);
        if (count < 0 || count > most || body.inputs().size() != most) {
            throw c.refuse("the body takes " + body.inputs().size() + " values; the node has " + c.inputs()
                    + " inputs, " + count + " of them scanned ('num_scan_inputs')");
        }
        this.scanned = (int) count;
        this.states = most - scanned;
        if (body.outputs().size() < states || c.outputs() > body.outputs().size()) {
            throw c.refuse("the body gives " + body.outputs().size() + " values; the node has " + c.outputs()
                    + " outputs and " + states + " states");
        }
    }

    static void scan(InferenceContext c) {
        new ScanRule(c).infer();
    }

    private void infer() {
        for (int i = firstInput; i < c.inputs(); i++) {
            if (!c.has(i)) {
                throw c.refuse("input " + i + " is omitted, but is needed");
            }
        }
        long[] inputAxes = batched ? new long[scanned] : c.integers("scan_input_axes", scanned, 0);
        List<@Nullable ValueType> types = new ArrayList<>();
        for (int i = 0; i < states; i++) {
            types.add(batched ? without(firstInput + i, 0) : c.type(firstInput + i));
        }
        Dim steps = Dim.UNKNOWN;
        Dim batch = Dim.UNKNOWN;
        for (int i = 0; i < scanned; i++) {
            int input = firstInput + states + i;
            List<Dim> dims = c.dims(input, batched ? 2 : 1, Integer.MAX_VALUE);
            if (dims != null) {
                int axis = batched ? 1 : c.axis(inputAxes[i], dims.size());
                steps = Dims.meet(steps, dims.get(axis), c);
                batch = batched ? dims.getFirst() : batch;
                types.add(batched ? without(input, 0, 0) : without(input, axis));
            } else {
                types.add(new ValueType.TensorType(c.element(input), null));
            }
        }
        List<@Nullable ValueType> results = c.body(body, types);
        if (isChanged(types, results)) {
            results = c.body(body, types);
        }
        int stacked = body.outputs().size() - states;
        long[] outputAxes = batched ? new long[stacked] : c.integers("scan_output_axes", stacked, 0);
        for (int i = 0; i < states; i++) {
            c.set(i, inBatch(TypeLattice.join(types.get(i), results.get(i)), batch));
        }
        for (int i = 0; i < stacked; i++) {
            ValueType all = ControlFlowInference.stacked(results.get(states + i), steps, outputAxes[i], c);
            c.set(states + i, inBatch(all, batch));
        }
    }

    /** Whether a step leaves a state of another shape than it found; {@code types} then says nothing of the states' shapes. */
    private boolean isChanged(List<@Nullable ValueType> types, List<@Nullable ValueType> results) {
        boolean changed = false;
        for (int i = 0; i < states; i++) {
            changed |= !Objects.equals(TypeLattice.join(types.get(i), results.get(i)), types.get(i));
        }
        for (int i = 0; changed && i < states; i++) {
            types.set(i, TypeLattice.withoutShape(TypeLattice.join(types.get(i), results.get(i))));
        }
        return changed;
    }

    private @Nullable ValueType inBatch(@Nullable ValueType type, Dim batch) {
        return batched ? ControlFlowInference.stacked(type, batch, 0, c) : type;
    }

    /** The tensor in {@code input} without these axes, each counted after the one before is gone. */
    private ValueType without(int input, int... axes) {
        List<Dim> dims = c.dims(input);
        if (dims == null) {
            return new ValueType.TensorType(c.element(input), null);
        }
        var rest = new ArrayList<>(dims);
        for (int axis : axes) {
            if (rest.isEmpty()) {
                throw c.refuse("input " + input + " has shape " + dims + ", which lacks the axis that is taken apart");
            }
            rest.remove(axis);
        }
        return TypeLattice.tensor(c.element(input), rest);
    }
}
