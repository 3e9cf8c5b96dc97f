package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.Effects;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A node whose inputs are all constants is computed now. */
final class FoldConstants {
    /** The most input bytes of a node whose output size is not known before it has run. */
    private static final long BLIND_LIMIT = 1 << 20;
    /** Inputs of so many bytes are compared with those of other nodes. */
    private static final long KNOWN_BYTES = 256;
    /** Elements of the narrowest type that share a byte. */
    private static final long MOST_PER_BYTE = 4;

    private FoldConstants() {}

    static Iterator<Patch> over(Graph graph, PassContext context) {
        Map<Computation, List<Tensor>> known = new HashMap<>();
        return Sweep.over(graph.nodes(), node -> at(node, context, known));
    }

    private static @Nullable Patch at(Node node, PassContext context, Map<Computation, List<Tensor>> known) {
        for (Value input : node.inputs()) {
            if (input != null && !input.isConstant()) {
                return null;
            }
        }
        // A weight that a DequantizeLinear widens stays narrow: kernels for quantized weights read it as it is.
        if (!Effects.isPure(node) || node.is(OpName.DEQUANTIZE_LINEAR) || node.is(OpName.CONSTANT) && isPlain(node)) {
            return null;
        }
        Set<Value> inputs = new HashSet<>();
        long inputBytes = 0;
        long freed = 0;
        for (Value input : node.inputs()) {
            if (input != null && inputs.add(input)) {
                inputBytes += bytes(input);
                freed += isReadBy(input, node) ? bytes(input) : 0;
            }
        }
        if (!isWorthwhile(node, inputBytes, freed, context)) {
            return null;
        }
        List<Tensor> results = inputBytes > KNOWN_BYTES ? context.evaluate(node) : evaluate(node, context, known);
        if (results == null || results.size() < node.outputs().size()) {
            return null;
        }
        long added = -freed;
        Patch.Builder patch = context.patch(node, node.op() + " of constants");
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            if (output == null || !output.isUsed()) {
                continue;
            }
            Tensor result = results.get(i);
            if (!context.canHold(output, result)) {
                // The model declares another type than it computes; it runs as long as nobody relies on that.
                return null;
            }
            added += result.type().bytes(result.elements());
            patch.redirect(output, patch.constant(output.name(), result));
        }
        if (!context.mayAdd(added)) {
            return null;
        }
        context.added(added);
        return patch.build();
    }

    /** Computes what several nodes make of the same numbers once. */
    private static @Nullable List<Tensor> evaluate(
            Node node, PassContext context, Map<Computation, List<Tensor>> known) {
        var operands = new ArrayList<@Nullable TensorKey>();
        for (Value input : node.inputs()) {
            Tensor constant = input == null ? null : input.constant();
            operands.add(constant == null ? null : new TensorKey(constant));
        }
        var computation = new Computation(node, operands);
        List<Tensor> results = known.get(computation);
        if (results == null) {
            results = context.evaluate(node);
            if (results != null) {
                known.put(computation, results);
            }
        }
        return results;
    }

    private static long bytes(Value constant) {
        Tensor tensor = constant.constant();
        return tensor == null ? 0 : tensor.type().bytes(tensor.elements());
    }

    /** Whether {@code node} alone reads {@code value}, which so goes with it. */
    private static boolean isReadBy(Value value, Node node) {
        if (value.isGraphOutput() || value.users().size() > node.inputs().size()) {
            return false;
        }
        for (Node user : value.users()) {
            if (user != node) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(Node constant) {
        return !constant.attributes().has("sparse_value");
    }

    private static boolean isWorthwhile(Node node, long inputBytes, long freed, PassContext context) {
        boolean used = false;
        long added = -freed;
        for (Value output : node.outputs()) {
            if (output == null || !output.isUsed()) {
                continue;
            }
            used = true;
            ValueType type = output.type();
            if (type != null && !(type instanceof TensorType)) {
                return false;
            }
            TensorType tensor = (TensorType) type;
            Shape shape = tensor == null ? null : tensor.concreteShape();
            if (tensor == null || tensor.element() == null || shape == null) {
                if (inputBytes > BLIND_LIMIT) {
                    return false;
                }
            } else {
                long most = Math.max(inputBytes, context.foldLimitBytes());
                // so many are too many of any type, and their bytes more perhaps than a number holds
                if (shape.elements() / MOST_PER_BYTE > most || tensor.element().bytes(shape.elements()) > most) {
                    return false;
                }
                added += tensor.element().bytes(shape.elements());
            }
        }
        return used && context.mayAdd(added);
    }
}
