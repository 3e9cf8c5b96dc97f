package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.Cast;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.Kit;
import dev.millrace.providers.simd.lower.Op;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Floats that a model has as constants. Where it has them in 16 bits and casts them, they are widened each time that they
 * are packed, and never kept as what they are cast to.
 */
record StoredFloats(Kit kit, Tensor tensor) {
    private static final long ALIGNMENT = 64;

    /** What an input of a node is, as floats of 32 bits; null where it is no constant or anything else. */
    static @Nullable StoredFloats of(Op op, int input) {
        Cell cell = op.find(input);
        if (cell == null || !cell.isFloat()) {
            return null;
        }
        Tensor halves = halves(op, input);
        Tensor known = halves == null ? cell.known() : halves;
        return known == null ? null : new StoredFloats(op.kit(), known);
    }

    /** The constant of 16 bits that an input is cast from; null where it is none. */
    static @Nullable Tensor halves(Op op, int input) {
        Op cast = op.producer(input);
        if (cast == null || !cast.name().equals("Cast")) {
            return null;
        }
        Cell source = cast.in(0);
        return Halves.areHalves(source.type()) ? source.known() : null;
    }

    Shape shape() {
        return tensor.shape();
    }

    /** Whether the model has them in 32 bits. */
    boolean areWide() {
        return tensor.type() == ElementType.FLOAT;
    }

    /** The same in 32 bits. */
    Tensor widened() {
        return areWide() ? tensor : Tensor.wrap(ElementType.FLOAT, shape(), floats());
    }

    /** All of them, in 32 bits, in memory that kernels can read. */
    MemorySegment floats() {
        MemorySegment plain = kit.weights().plain(tensor);
        if (areWide()) {
            return plain;
        }
        NumberType from = Objects.requireNonNull(DataTypes.number(tensor.type()));
        Cast cast = kit.driver(
                List.of(Cast.class, from, NumberType.F32), () -> new Cast(kit.kernels(), from, NumberType.F32));
        MemorySegment wide = OwnMemory.allocate(Math.max(1, Float.BYTES * tensor.elements()), ALIGNMENT);
        cast.run(plain, wide, tensor.elements(), Parallel.NONE);
        return wide.asSlice(0, Float.BYTES * tensor.elements());
    }
}
