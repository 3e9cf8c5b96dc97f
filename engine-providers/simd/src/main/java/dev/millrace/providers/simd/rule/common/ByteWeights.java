package dev.millrace.providers.simd.rule.common;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.lowp.QuantisedGemm;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Constant bytes with zero points, which products and convolutions have packed. */
public record ByteWeights(
        CompileEnvironment environment,
        Tensor bytes,
        @Nullable Tensor zeroPoints) {
    /** Puts bytes into packed memory. */
    public interface Packing {
        void pack(QuantisedMatrix weights, MemorySegment packed);
    }

    public static boolean areBytes(ElementType type) {
        return type == ElementType.INT8 || type == ElementType.UINT8;
    }

    boolean isSigned() {
        return bytes.type() == ElementType.INT8;
    }

    /** Whether they lie around zero, as products take them. */
    public boolean areCentred() {
        int centre = isSigned() ? 0 : 1 << Byte.SIZE - 1;
        return zeroPoints == null
                ? centre == 0
                : Arrays.stream(Tables.intsOf(environment, zeroPoints)).allMatch(zero -> zero == centre);
    }

    /** A matrix of k rows and n columns, or its transpose, for products. */
    public View packed(QuantisedGemm gemm, long k, long n, boolean transposed) {
        String name = gemm.packedLayout() + (transposed ? " of the transpose" : "");
        var layout = Layout.forAllShapes(name, gemm.packedBytes(k, n));
        return packed(layout, transposed ? k : n, (weights, packed) -> {
            if (transposed) {
                gemm.packTransposed(weights, k, n, packed);
            } else {
                gemm.pack(weights, k, n, packed);
            }
        });
    }

    /** @param stride bytes from one row of the weights to the next */
    public View packed(Layout layout, long stride, Packing packing) {
        List<Tensor> sources = zeroPoints == null ? List.of(bytes) : List.of(bytes, zeroPoints);
        MemorySegment memory = environment.weights().packed(sources, layout, target -> {
            QuantisedMatrix plain = QuantisedMatrix.of(environment.weights().plain(bytes), isSigned(), stride);
            packing.pack(
                    zeroPoints == null
                            ? plain
                            : plain.withZeroPoints(environment.weights().plain(zeroPoints)),
                    target);
        });
        return View.dense(Storage.constant(memory), ElementType.UINT8, Shape.of(memory.byteSize()));
    }
}
