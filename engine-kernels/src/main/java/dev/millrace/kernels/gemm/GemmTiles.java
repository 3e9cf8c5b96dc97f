package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The tiles of all products, found without making a key: a small product takes less time than that. */
final class GemmTiles {
    private static final int FLAGS = 48;

    private final KernelSet kernels;
    private final ConcurrentHashMap<Epilogue, WithEpilogue> known = new ConcurrentHashMap<>();

    GemmTiles(KernelSet kernels) {
        this.kernels = kernels;
    }

    KernelSet kernels() {
        return kernels;
    }

    /** The tiles of one epilogue. */
    WithEpilogue with(Epilogue epilogue) {
        WithEpilogue tiles = known.get(epilogue);
        if (tiles == null) {
            WithEpilogue fresh = new WithEpilogue(epilogue);
            WithEpilogue earlier = known.putIfAbsent(epilogue, fresh);
            tiles = earlier == null ? fresh : earlier;
        }
        return tiles;
    }

    /** The tiles of one epilogue. */
    final class WithEpilogue {
        private final Epilogue epilogue;
        private final AtomicReferenceArray<CompiledKernel> tiles =
                new AtomicReferenceArray<>(GemmTile.MAX_ROWS * GemmTile.MAX_VECTORS * GemmTile.MAX_PANELS * FLAGS);

        private WithEpilogue(Epilogue epilogue) {
            this.epilogue = epilogue;
        }

        CompiledKernel tile(
                int rows,
                int vectors,
                int panels,
                boolean masked,
                boolean accumulate,
                boolean columnsOfA,
                boolean rowsOfB,
                Fetch fetch) {
            int flags = (masked ? 1 : 0)
                    + (accumulate ? 2 : 0)
                    + (columnsOfA ? 4 : 0)
                    + (rowsOfB ? 8 : 0)
                    + 16 * fetch.ordinal();
            int size = (rows - 1) * GemmTile.MAX_VECTORS + vectors - 1;
            int index = FLAGS * (size * GemmTile.MAX_PANELS + panels - 1) + flags;
            CompiledKernel kernel = tiles.get(index);
            if (kernel == null) {
                kernel = kernels.kernel(new GemmTile.Variant(
                                rows, vectors, masked, accumulate, columnsOfA, rowsOfB, panels, fetch, epilogue)
                        .key());
                tiles.set(index, kernel);
            }
            return kernel;
        }
    }
}
