package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.program.View;
import java.util.List;

/** Floats of 16 bits that kernels read as floats of 32. */
final class Halves {
    private Halves() {}

    static boolean areFloats(ElementType type) {
        return type == ElementType.FLOAT || DataTypes.isHalf(type);
    }

    static Cell widened(Op op, Cell cell) {
        if (cell.isFloat()) {
            return cell;
        }
        Cell wide = op.lowering().part(op.out(), ElementType.FLOAT, cell.shape());
        op.lowering().pend(wide, List.of(cell), List::getFirst);
        return wide;
    }

    static View widened(Op op, View view) {
        if (view.type() == ElementType.FLOAT) {
            return view;
        }
        return op.lowering().view(widened(op, Parts.of(op.lowering(), op.out(), view)));
    }

    /** Where the floats of an output are computed: itself, or a value that it is made of in the end. */
    static Cell wide(Op op, Cell output) {
        return output.isFloat() ? output : op.lowering().part(output, ElementType.FLOAT, output.shape());
    }

    /** Makes an output of what was computed for it. */
    static void finish(Op op, Cell output, Cell computed) {
        if (output != computed) {
            op.lowering().pend(output, List.of(computed), List::getFirst);
        }
    }
}
