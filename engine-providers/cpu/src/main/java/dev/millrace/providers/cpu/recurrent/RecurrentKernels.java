package dev.millrace.providers.cpu.recurrent;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Unary;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;

/** The kernels of RNN, GRU and LSTM. */
public final class RecurrentKernels {
    private RecurrentKernels() {}

    /** The kernel for this node, which is one of the three. */
    public static ShapedKernel create(Node node) {
        int directions = node.attributes().text("direction", "forward").equals("bidirectional") ? 2 : 1;
        List<String> defaults = switch (node.op().name()) {
            case OpName.LSTM -> List.of(OpName.SIGMOID, OpName.TANH, OpName.TANH);
            case OpName.GRU -> List.of(OpName.SIGMOID, OpName.TANH);
            default -> List.of(OpName.TANH);
        };
        List<Unary.Floats> functions = Activations.of(node, directions, defaults);
        return context -> bind(context, node, functions, directions);
    }

    private static Launch bind(BindContext context, Node node, List<Unary.Floats> functions, int directions) {
        Attributes attributes = node.attributes();
        Shape weights = context.inputShape(2);
        int units = ArrayExtents.toInt("hidden units", weights.dim(2));
        float clip = attributes.real("clip", Float.POSITIVE_INFINITY);
        boolean resetLast = attributes.flag("linear_before_reset", false);
        RecurrentShape shape = RecurrentShape.of(
                context.inputShape(0),
                weights,
                units,
                attributes.flag("layout", false),
                attributes.text("direction", "forward").equals("reverse"));
        RecurrentStep[] cells = new RecurrentStep[directions];
        int each = functions.size() / directions;
        for (int d = 0; d < directions; d++) {
            List<Unary.Floats> f = functions.subList(d * each, (d + 1) * each);
            cells[d] = switch (node.op().name()) {
                case OpName.LSTM ->
                    new LstmCell(units, clip, attributes.flag("input_forget", false), f.get(0), f.get(1), f.get(2));
                case OpName.GRU -> new GruCell(units, Panel.padded(units), clip, resetLast, f.get(0), f.get(1));
                default -> new RnnCell(units, clip, f.get(0));
            };
        }
        return new Recurrence(context, shape, cells, node.is(OpName.GRU));
    }
}
