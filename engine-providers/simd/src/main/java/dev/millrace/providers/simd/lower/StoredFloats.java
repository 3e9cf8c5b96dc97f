package dev.millrace.providers.simd.lower;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.Cast;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Floats that a model has as constants. Where the model stores them in 16 bits and casts them, they are widened while
 * they are packed. They are kept unpacked in 32 bits only where no kernel packs them.
 */
public record StoredFloats(CompileEnvironment environment, Tensor tensor) {
    private static final long ALIGNMENT = 64;

    /**
     * Returns the constant floats that an input of a node is, in 32 bits or cast to them; null where it is anything
     * else.
     */
    public static @Nullable StoredFloats of(LoweringContext op, int input) {
        ValueState cell = op.find(input);
        if (cell == null || !cell.isFloat()) {
            return null;
        }
        Tensor halves = halves(op, input);
        Tensor known = halves == null ? cell.known() : halves;
        return known == null ? null : new StoredFloats(op.environment(), known);
    }

    /** Returns the 16-bit constant that an input is cast from; null where there is none. */
    public static @Nullable Tensor halves(LoweringContext op, int input) {
        LoweringContext cast = op.producer(input);
        if (cast == null || !cast.name().equals(OpName.CAST)) {
            return null;
        }
        ValueState source = cast.in(0);
        return DataTypes.isHalf(source.type()) ? source.known() : null;
    }

    public Shape shape() {
        return tensor.shape();
    }

    /** Whether the model stores them in 32 bits. */
    public boolean areWide() {
        return tensor.type() == ElementType.FLOAT;
    }

    /** Returns the tensor in 32 bits. */
    public Tensor widened() {
        return areWide() ? tensor : Tensor.wrap(ElementType.FLOAT, shape(), floats());
    }

    /** Returns all elements in 32 bits, in memory that kernels can read. */
    public MemorySegment floats() {
        MemorySegment plain = environment.weights().plain(tensor);
        if (areWide()) {
            return plain;
        }
        MemorySegment wide = OwnMemory.allocate(Math.max(1, bytes()), ALIGNMENT).asSlice(0, bytes());
        widen(plain, wide);
        return wide;
    }

    /** Returns a view of the elements in 32 bits, in the order of their indices. */
    View kept() {
        if (areWide()) {
            return view(environment.weights().plain(tensor));
        }
        Layout layout = Layout.forAllShapes("floats", bytes());
        return view(environment
                .weights()
                .packed(
                        List.of(tensor),
                        layout,
                        target -> widen(environment.weights().plain(tensor), target)));
    }

    private View view(MemorySegment floats) {
        return View.dense(Storage.constant(floats), ElementType.FLOAT, shape());
    }

    private long bytes() {
        return Float.BYTES * tensor.elements();
    }

    private void widen(MemorySegment plain, MemorySegment wide) {
        NumberType from = Objects.requireNonNull(DataTypes.number(tensor.type()));
        Cast cast = environment.driver(
                List.of(Cast.class, from, NumberType.F32), () -> new Cast(environment.kernels(), from, NumberType.F32));
        cast.run(plain, wide, tensor.elements(), Parallel.NONE);
    }
}
