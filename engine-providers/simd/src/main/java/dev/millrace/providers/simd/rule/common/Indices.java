package dev.millrace.providers.simd.rule.common;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.gather.ElementShape;
import dev.millrace.kernels.gather.IndexList;
import dev.millrace.kernels.gather.RowGather;
import dev.millrace.kernels.gather.RowNumbers;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import org.jspecify.annotations.Nullable;

/** Indices that an operator reads, checked in each run. */
public record Indices(String node, View view, boolean wide, long count) {
    /** Rows of more bytes are left to other kernels. */
    public static final long MOST_ROW_BYTES = 1 << 30;

    /** The indices of an input, or null where they are of a type that kernels do not read. */
    public static @Nullable Indices of(LoweringContext op, int input) {
        ValueState cell = op.in(input);
        boolean wide = cell.type() == ElementType.INT64;
        if (!wide && cell.type() != ElementType.INT32) {
            return null;
        }
        return new Indices(op.node().describe(), op.lowering().dense(cell), wide, cell.elements());
    }

    /** Bytes of an element that can be moved by itself, or 0 where several share a byte. */
    public static int elementBytes(ElementType type) {
        return type.bits() % Byte.SIZE == 0 ? type.bits() / Byte.SIZE : 0;
    }

    public static RowNumbers numbers(CompileEnvironment environment) {
        return environment.driver(RowNumbers.class, () -> new RowNumbers(environment.kernels()));
    }

    public static RowGather rows(CompileEnvironment environment) {
        return environment.driver(RowGather.class, () -> new RowGather(environment.kernels()));
    }

    /**
     * How the indices of input 1 go along an axis of data of the same rank, input 0.
     *
     * @return null where they reach outside of it, or there is more than tables can number
     */
    public static @Nullable ElementShape along(LoweringContext op) {
        Shape data = op.in(0).shape();
        Shape indices = op.in(1).shape();
        int rank = data.rank();
        if (rank == 0) {
            return null;
        }
        int axis = Shape.axis(op.attributes().integer("axis", 0), rank);
        boolean fits = indices.rank() == rank && data.elements() <= Integer.MAX_VALUE;
        for (int i = 0; i < rank && fits; i++) {
            fits = i == axis || indices.dim(i) <= data.dim(i);
        }
        return fits ? new ElementShape(indices.toArray(), data.toArray(), axis) : null;
    }

    /** The length of the tuples of input 1 that choose places of input 0; 0 where they choose none. */
    public static int tupleLength(LoweringContext op) {
        Shape indices = op.in(1).shape();
        long length = indices.rank() == 0 ? 0 : indices.dimAt(-1);
        return length > op.in(0).shape().rank() ? 0 : Math.toIntExact(length);
    }

    public IndexList in(RunMemory memory) {
        return new IndexList(memory.segment(view), wide, count);
    }

    /** Does what reads the indices; one that is out of range is the caller's fault. */
    public void check(Runnable work) {
        try {
            work.run();
        } catch (IndexOutOfBoundsException e) {
            throw EngineException.invalidArgument(node + ": " + e.getMessage());
        }
    }
}
