package dev.millrace.providers.simd.rule.experts;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.gemm.Matrix;
import dev.millrace.kernels.lowp.BlockedWeights;
import dev.millrace.kernels.lowp.WeightExtents;
import dev.millrace.kernels.lowp.WeightFormat;
import dev.millrace.kernels.lowp.WeightGemm;
import dev.millrace.kernels.lowp.WeightProduct;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Products with the weights of an expert, n rows of k elements in their order. */
sealed interface ExpertGemm {
    /** The weights of an expert as the model has them. */
    record Weights(
            MemorySegment rows,
            @Nullable MemorySegment scales,
            @Nullable MemorySegment zeros,
            long k,
            long n) {}

    /**
     * A product of some rows.
     *
     * @param apart the distance of the rows in floats
     */
    record Product(
            MemorySegment from,
            long apart,
            MemorySegment packed,
            MemorySegment to,
            long rows,
            long n,
            long k,
            @Nullable MemorySegment bias) {}

    String packedLayout();

    long packedBytes(long k, long n);

    void pack(Weights weights, MemorySegment packed);

    long scratchBytes(long rows, long n, long k, int width);

    void run(Product product, MemorySegment scratch, Parallel crew);

    /** Weights of 16 bits, or in blocks with scales. */
    record OfWeights(WeightGemm gemm, WeightFormat format) implements ExpertGemm {
        static OfWeights of(CompileEnvironment environment, WeightFormat format) {
            return new OfWeights(
                    environment.driver(format, () -> new WeightGemm(environment.kernels(), format)), format);
        }

        @Override
        public String packedLayout() {
            return gemm.packedLayout();
        }

        @Override
        public long packedBytes(long k, long n) {
            return gemm.packedBytes(k, n);
        }

        @Override
        public void pack(Weights weights, MemorySegment packed) {
            MemorySegment scales = weights.scales();
            if (scales == null) {
                gemm.packTransposed(weights.rows(), weights.k(), weights.k(), weights.n(), packed);
            } else {
                var blocks = new BlockedWeights(
                        format.type(), format.block(), weights.rows(), scales, FloatType.F32, weights.zeros());
                gemm.pack(blocks, weights.k(), weights.n(), packed);
            }
        }

        @Override
        public long scratchBytes(long rows, long n, long k, int width) {
            return gemm.scratchBytes(new WeightExtents(rows, n, k, FloatType.F32, FloatType.F32, false), width);
        }

        @Override
        public void run(Product product, MemorySegment scratch, Parallel crew) {
            gemm.run(
                    new WeightProduct(
                            product.from(),
                            FloatType.F32,
                            product.apart(),
                            product.packed(),
                            product.to(),
                            FloatType.F32,
                            product.n(),
                            product.rows(),
                            product.n(),
                            product.k(),
                            product.bias(),
                            Activation.NONE,
                            false),
                    scratch,
                    crew);
        }

        @Override
        public String toString() {
            return format.toString();
        }
    }

    /** Weights of 32-bit floats. */
    record OfFloats(Gemm gemm) implements ExpertGemm {
        static OfFloats of(CompileEnvironment environment) {
            return new OfFloats(environment.driver(Gemm.class, () -> new Gemm(environment.kernels())));
        }

        @Override
        public String packedLayout() {
            return gemm.packedLayout();
        }

        @Override
        public long packedBytes(long k, long n) {
            return gemm.packedBytes(k, n);
        }

        @Override
        public void pack(Weights weights, MemorySegment packed) {
            gemm.packTransposed(weights.rows(), weights.k(), weights.k(), weights.n(), packed);
        }

        @Override
        public long scratchBytes(long rows, long n, long k, int width) {
            return 0;
        }

        @Override
        public void run(Product product, MemorySegment scratch, Parallel crew) {
            GemmProduct.Builder builder = GemmProduct.builder(
                            product.rows(),
                            product.n(),
                            product.k(),
                            Matrix.rows(product.from(), product.apart()),
                            Matrix.packed(product.packed()))
                    .writing(Matrix.rows(product.to(), product.n()));
            MemorySegment bias = product.bias();
            if (bias != null) {
                builder.then(Epilogue.of(true, Activation.NONE), Objects.requireNonNull(bias));
            }
            gemm.run(builder.build(), crew);
        }

        @Override
        public String toString() {
            return "floats";
        }
    }
}
