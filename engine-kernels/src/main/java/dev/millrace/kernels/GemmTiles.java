package dev.millrace.kernels;

import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.GemmTile;
import dev.millrace.kernels.program.Kernel;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The tiles of all products, found without making a key: a small product takes less time than that. */
final class GemmTiles {
    private static final int ACTIVATIONS = Activation.values().length;

    private final KernelSet kernels;
    private final AtomicReferenceArray<Kernel> known =
            new AtomicReferenceArray<>(GemmTile.MAX_ROWS * GemmTile.MAX_VECTORS * 8 * ACTIVATIONS);

    GemmTiles(KernelSet kernels) {
        this.kernels = kernels;
    }

    KernelSet kernels() {
        return kernels;
    }

    Kernel tile(int rows, int vectors, boolean masked, boolean accumulate, Epilogue epilogue) {
        int index = (rows - 1) * GemmTile.MAX_VECTORS + vectors - 1;
        index = 8 * index + (masked ? 4 : 0) + (accumulate ? 2 : 0) + (epilogue.bias() ? 1 : 0);
        index = ACTIVATIONS * index + epilogue.activation().ordinal();
        Kernel kernel = known.get(index);
        if (kernel == null) {
            kernel = kernels.kernel(new GemmTile.Variant(rows, vectors, masked, accumulate, epilogue).key());
            known.set(index, kernel);
        }
        return kernel;
    }
}
