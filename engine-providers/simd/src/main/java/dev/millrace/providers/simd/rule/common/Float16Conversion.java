package dev.millrace.providers.simd.rule.common;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import java.util.List;

/** The conversion of 16-bit floats that kernels read as 32-bit ones, and of results back. */
public final class Float16Conversion {
    private Float16Conversion() {}

    public static boolean areFloats(ElementType type) {
        return type == ElementType.FLOAT || DataTypes.isHalf(type);
    }

    public static ValueState widened(LoweringContext op, ValueState cell) {
        if (cell.isFloat()) {
            return cell;
        }
        ValueState wide = op.lowering().part(op.out(), ElementType.FLOAT, cell.shape());
        op.lowering().defer(wide, List.of(cell), List::getFirst);
        return wide;
    }

    public static View widened(LoweringContext op, View view) {
        if (view.type() == ElementType.FLOAT) {
            return view;
        }
        return op.lowering().view(widened(op, OutputViews.of(op.lowering(), op.out(), view)));
    }

    /** Returns the cell in which an output is computed in 32 bits: itself, or a part that it is converted from. */
    public static ValueState wide(LoweringContext op, ValueState output) {
        return output.isFloat() ? output : op.lowering().part(output, ElementType.FLOAT, output.shape());
    }

    /** Converts the computed part to the output, where they differ. */
    public static void finish(LoweringContext op, ValueState output, ValueState computed) {
        if (output != computed) {
            op.lowering().defer(output, List.of(computed), List::getFirst);
        }
    }
}
