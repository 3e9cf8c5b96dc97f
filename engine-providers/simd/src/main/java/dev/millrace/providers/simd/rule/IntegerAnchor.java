package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.intgemm.QuantisedOutput;
import dev.millrace.kernels.intgemm.QuantisedResult;
import dev.millrace.providers.simd.lower.Anchor;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.program.Memory;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sums of products of bytes as ints, which may be scaled, biased and activated before they are written. */
final class IntegerAnchor implements Anchor {
    private final Lowering lowering;
    private final ByteSums sums;

    IntegerAnchor(ByteSums sums) {
        lowering = sums.lowering();
        this.sums = sums;
    }

    @Override
    public int mostOperands() {
        return Expr.MAX_INPUTS - 1;
    }

    @Override
    public boolean takes(Cell operand, Cell result) {
        return true;
    }

    @Override
    public boolean emit(Cell result, @Nullable Expr after, List<Cell> operands) {
        if (after == null) {
            sums.add("as ints", result, null, List.of(), _ -> QuantisedResult::ints);
            return true;
        }
        ColumnEpilogue epilogue =
                ColumnEpilogue.ofInts(after, operands.stream().map(sums::kind).toList());
        if (epilogue == null) {
            return false;
        }
        Cell floats = epilogue.isAll() ? result : lowering.part(result, ElementType.FLOAT, result.shape());
        write(floats, epilogue, operands);
        if (!epilogue.isAll()) {
            var all = new ArrayList<Cell>(List.of(floats));
            all.addAll(operands);
            Expressions.materialise(lowering, result, epilogue.rest(), all);
        }
        return true;
    }

    private void write(Cell floats, ColumnEpilogue epilogue, List<Cell> operands) {
        var scales = new ArrayList<View>();
        for (Expr scale : epilogue.scales()) {
            View view = scale instanceof Expr.Literal(int bits, var _)
                    ? Tables.floats(Float.intBitsToFloat(bits))
                    : view(operands, (Expr.Input) scale);
            // what may be per column comes last
            scales.add(view.elements() > 1 ? scales.size() : 0, view);
        }
        View bias = epilogue.bias() == null ? null : view(operands, epilogue.bias());
        View ofColumns = scales.isEmpty() ? null : scales.getLast();
        View ofRows = scales.size() < 2 ? null : scales.getFirst();
        var reads = new ArrayList<View>();
        if (ofColumns != null) {
            reads.add(ofColumns);
        }
        if (bias != null) {
            reads.add(bias);
        }
        String what = (bias == null ? "scaled " : "scaled, biased ") + epilogue.activation();
        sums.add(what, floats, ofRows, reads, memory -> {
            MemorySegment factors = segment(memory, ofColumns);
            MemorySegment added = segment(memory, bias);
            return (data, columns) -> new QuantisedResult(
                    data, QuantisedOutput.F32, columns, factors, added, epilogue.activation(), 0);
        });
    }

    private View view(List<Cell> operands, Expr.Input input) {
        return lowering.dense(operands.get(input.index() - 1));
    }

    private static @Nullable MemorySegment segment(Memory memory, @Nullable View view) {
        return view == null ? null : memory.segment(view);
    }
}
