package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.intgemm.QuantisedGemm;
import dev.millrace.kernels.intgemm.QuantisedMatrix;
import dev.millrace.providers.simd.lower.Kit;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Constant bytes with zero points, which products and convolutions have packed. */
record ByteWeights(Kit kit, Tensor bytes, @Nullable Tensor zeroPoints) {
    /** Puts bytes into packed memory. */
    interface Packing {
        void pack(QuantisedMatrix weights, MemorySegment packed);
    }

    static boolean areBytes(ElementType type) {
        return type == ElementType.INT8 || type == ElementType.UINT8;
    }

    boolean isSigned() {
        return bytes.type() == ElementType.INT8;
    }

    /** The columns of a matrix of k rows and n columns, or of its transpose. */
    View packed(QuantisedGemm gemm, long k, long n, boolean transposed) {
        String layout = gemm.packedLayout() + (transposed ? " of the transpose" : "");
        return packed(layout, gemm.packedBytes(k, n), transposed ? k : n, (weights, packed) -> {
            if (transposed) {
                gemm.packTransposed(weights, k, n, packed);
            } else {
                gemm.pack(weights, k, n, packed);
            }
        });
    }

    /** The weights in a layout. */
    View packed(String layout, long size, long stride, Packing packing) {
        MemorySegment points = zeroPoints == null ? null : kit.weights().plain(zeroPoints);
        String name = points == null ? layout : layout + " with " + isSigned() + name(points);
        MemorySegment memory = kit.weights().packed(List.of(bytes), Layout.forAllShapes(name, size), target -> {
            QuantisedMatrix plain = QuantisedMatrix.of(kit.weights().plain(bytes), isSigned(), stride);
            packing.pack(points == null ? plain : plain.withZeroPoints(points), target);
        });
        return View.dense(Storage.constant(memory), ElementType.UINT8, Shape.of(memory.byteSize()));
    }

    /** Zero points as a part of a name: by their content, since tables may come and go. */
    private static String name(MemorySegment points) {
        byte[] all = points.toArray(ValueLayout.JAVA_BYTE);
        for (byte point : all) {
            if (point != all[0]) {
                return Arrays.toString(all);
            }
        }
        return Byte.toString(all[0]);
    }
}
