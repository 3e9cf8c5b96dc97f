package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.program.View;
import java.util.List;

/** The conversion of 16-bit floats that kernels read as 32-bit ones, and of results back. */
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

    /** Returns the cell in which an output is computed in 32 bits: itself, or a part that it is converted from. */
    static Cell wide(Op op, Cell output) {
        return output.isFloat() ? output : op.lowering().part(output, ElementType.FLOAT, output.shape());
    }

    /** Converts the computed part to the output, where they differ. */
    static void finish(Op op, Cell output, Cell computed) {
        if (output != computed) {
            op.lowering().pend(output, List.of(computed), List::getFirst);
        }
    }
}
