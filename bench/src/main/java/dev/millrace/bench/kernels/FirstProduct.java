package dev.millrace.bench.kernels;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.gemm.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process of its own: maps B, multiplies by it as it is, and prints how many nanoseconds that took from its start. */
final class FirstProduct {
    private FirstProduct() {}

    /** @param arguments the file of B, and m, k and n */
    public static void main(String[] arguments) throws IOException {
        long start = System.nanoTime();
        int m = Integer.parseInt(arguments[1]);
        int k = Integer.parseInt(arguments[2]);
        int n = Integer.parseInt(arguments[3]);
        Arena arena = Arena.global();
        Gemm gemm = Kernels.shared().gemm();
        try (FileChannel file = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.READ)) {
            MemorySegment b = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size(), arena);
            MemorySegment a = arena.allocate(4L * m * k, 64);
            MemorySegment c = arena.allocate(4L * m * n, 64);
            var product = GemmProduct.builder(m, n, k, Matrix.rows(a, k), Matrix.rows(b, n))
                    .writing(Matrix.rows(c, n))
                    .build();
            gemm.run(product, Parallel.NONE);
        }
        System.out.println(System.nanoTime() - start);
    }
}
