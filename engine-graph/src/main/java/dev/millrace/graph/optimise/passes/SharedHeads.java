package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An Attention shares heads of K and V among groups of heads of Q by itself: what repeats them before, by an Expand
 * along an axis of one that a Reshape joins to the heads, copies them for nothing.
 */
final class SharedHeads {
    private static final int SINCE = 13;
    /** The axis of heads, and behind it that of their repetitions. */
    private static final int HEADS = 1;

    private static final int TIMES = 2;
    private static final int[] OTHERS = {0, 1, 3, 4};

    private SharedHeads() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Value key = node.input(1);
        Value value = node.input(2);
        Repeated keys = key == null ? null : Repeated.of(key, node.graph());
        Repeated values = value == null ? null : Repeated.of(value, node.graph());
        boolean alone = node.outputs().size() == 1 && node.inputs().size() <= 4;
        if (!alone || keys == null || values == null || keys.times() != values.times()) {
            return null;
        }
        Patch.Builder patch = context.patch(node, "heads that are repeated for an Attention");
        Value axis = patch.constant(node.name() + "_axis", Tensor.copyOf(new long[] {TIMES}, 1));
        List<@Nullable Value> inputs = new ArrayList<>(node.inputs());
        inputs.set(1, keys.once(node, axis, patch));
        inputs.set(2, values.once(node, axis, patch));
        return patch.replace(node.requireOutput(0), NodeSpec.like(node, inputs)).build();
    }

    /**
     * Heads that are repeated.
     *
     * @param heads a batch, heads, one, rows, columns
     */
    private record Repeated(Value heads, long times) {
        static @Nullable Repeated of(Value value, Graph graph) {
            Node reshape = GraphPatterns.producer(value, graph, OpName.RESHAPE);
            Node expand = reshape == null ? null : GraphPatterns.producer(reshape.input(0), graph, OpName.EXPAND);
            SymbolicShape joined = value.shape();
            if (expand == null || joined == null || joined.rank() != 4) {
                return null;
            }
            SymbolicShape from = expand.requireInput(0).shape();
            SymbolicShape to = expand.requireOutput(0).shape();
            if (from == null || to == null || to.rank() != 5) {
                return null;
            }
            long times = to.dim(TIMES).extentOrMinusOne();
            boolean repeats = from.rank() == 5 && from.dim(TIMES).is(1) && times > 0;
            return repeats && staysBeside(expand, from, to) && joins(joined, from, times)
                    ? new Repeated(expand.requireInput(0), times)
                    : null;
        }

        /** Whether an Expand leaves all axes but one as they are. */
        private static boolean staysBeside(Node expand, SymbolicShape from, SymbolicShape to) {
            long[] target = Constants.longs(expand.input(1));
            for (int axis : OTHERS) {
                boolean asked = target != null && target.length == 5 && target[axis] == 1;
                if (!asked && !GraphPatterns.same(from.dim(axis), to.dim(axis))) {
                    return false;
                }
            }
            return true;
        }

        /** Whether a Reshape joins heads and their repetitions and nothing else. */
        private static boolean joins(SymbolicShape joined, SymbolicShape from, long times) {
            Dim batch = from.dim(0);
            Dim columns = from.dim(4);
            long heads = from.dim(HEADS).extentOrMinusOne();
            boolean rowsAreLeft = batch.extentOrMinusOne() > 0 && columns.extentOrMinusOne() > 0;
            return heads > 0
                    && GraphPatterns.same(joined.dim(0), batch)
                    && joined.dim(HEADS).is(heads * times)
                    && (rowsAreLeft || GraphPatterns.same(joined.dim(2), from.dim(3)))
                    && GraphPatterns.same(joined.dim(3), columns);
        }

        Value once(Node attention, Value axis, Patch.Builder patch) {
            NodeSpec squeeze =
                    NodeSpec.of(OpId.onnx(OpName.SQUEEZE), GraphPatterns.opset(attention, SINCE), heads, axis);
            return patch.add(squeeze, heads.name() + "_once");
        }
    }
}
