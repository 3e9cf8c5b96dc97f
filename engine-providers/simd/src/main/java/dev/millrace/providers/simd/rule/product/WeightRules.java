package dev.millrace.providers.simd.rule.product;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.lowp.BlockedWeights;
import dev.millrace.kernels.lowp.WeightFormat;
import dev.millrace.kernels.lowp.WeightGemm;
import dev.millrace.kernels.lowp.WeightType;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.StoredFloats;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.Float16Conversion;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Products with weights of 16, 8 and 4 bits. */
public final class WeightRules {
    public static final String BLOCKED = OpName.MATMUL_N_BITS;
    private static final int SCALES = 2;
    private static final int ZERO_POINTS = 3;
    private static final int ORDER = 4;
    private static final int BIAS = 5;
    private static final int LEAST_BLOCK = 16;
    private static final int MOST_BLOCK = 256;
    /** The level of accuracy by which a model allows products of bytes. */
    private static final int BYTES = 4;

    private WeightRules() {}

    public static @Nullable Rule named(String name) {
        return name.equals(BLOCKED) ? WeightRules::blocked : null;
    }

    /** Whether a MatMulNBits has weights that kernels know. */
    public static boolean suits(Node node) {
        long block = node.attributes().integer("block_size", 0);
        long bits = node.attributes().integer("bits", 4);
        Value scales = node.input(SCALES);
        Value zeros = node.input(ZERO_POINTS);
        return (bits == 4 || bits == 8)
                && block >= LEAST_BLOCK
                && block <= MOST_BLOCK
                && Long.bitCount(block) == 1
                && node.input(ORDER) == null
                && isConstant(node.input(1))
                && scales != null
                && (isConstant(scales) || isCastConstant(scales))
                && (zeros == null || isConstant(zeros) && zeros.elementType() == ElementType.UINT8)
                && areFloats(node.requireInput(0))
                && areFloats(scales);
    }

    private static boolean areFloats(Value value) {
        ElementType type = value.elementType();
        return type != null && Float16Conversion.areFloats(type);
    }

    /** Whether a value is cast from a constant of 16 bits. */
    private static boolean isCastConstant(Value value) {
        Node cast = value.producer();
        if (cast == null || !cast.is(OpName.CAST)) {
            return false;
        }
        ElementType type = cast.requireInput(0).elementType();
        return isConstant(cast.requireInput(0)) && type != null && DataTypes.isHalf(type);
    }

    private static boolean isConstant(@Nullable Value value) {
        return value != null && value.constant() != null;
    }

    private static boolean blocked(LoweringContext op) {
        if (!op.in(0).isFloat() || !op.in(SCALES).isFloat()) {
            return false;
        }
        ValueState product = op.out();
        boolean biased = op.inputs() > BIAS && op.has(BIAS);
        if (biased) {
            product = op.lowering().part(op.out(), op.out().type(), op.out().shape());
        }
        op.lowering()
                .defer(
                        product,
                        new WeightRoot(
                                op.lowering(),
                                op.in(0),
                                Blocked.of(op),
                                op.out().shape()));
        if (biased) {
            op.lowering()
                    .defer(
                            op.out(),
                            List.of(product, op.in(BIAS)),
                            v -> v.get(0).plus(v.get(1)));
        }
        return true;
    }

    /** The weights of a MatMulNBits. */
    private record Blocked(
            CompileEnvironment environment,
            WeightFormat format,
            long k,
            long n,
            Tensor data,
            StoredFloats scales,
            @Nullable Tensor zeros,
            boolean rounds)
            implements WeightRoot.StoredWeights {

        static Blocked of(LoweringContext op) {
            Tensor zeros = op.has(ZERO_POINTS) ? known(op.in(ZERO_POINTS)) : null;
            WeightType type = op.attributes().integer("bits", 4) == 4 ? WeightType.INT4 : WeightType.INT8;
            int block = Math.toIntExact(op.attributes().integer("block_size", 0));
            long k = op.attributes().integer("K", 0);
            long n = op.attributes().integer("N", 0);
            Tensor data = known(op.in(1));
            StoredFloats scales = Objects.requireNonNull(StoredFloats.of(op, SCALES));
            var stored = new StoredScales(op.environment(), sources(data, scales, zeros), k, n);
            return new Blocked(
                    op.environment(),
                    stored.format(type, block, zeros != null),
                    k,
                    n,
                    data,
                    scales,
                    zeros,
                    type == WeightType.INT4
                            && op.attributes().integer("accuracy_level", 0) == BYTES
                            && !op.environment().isStrict());
        }

        private static List<Tensor> sources(Tensor data, StoredFloats scales, @Nullable Tensor zeros) {
            return zeros == null ? List.of(data, scales.tensor()) : List.of(data, scales.tensor(), zeros);
        }

        private static Tensor known(ValueState cell) {
            Tensor known = cell.known();
            if (known == null) {
                throw new IllegalArgumentException(cell.name() + " is no constant");
            }
            return known;
        }

        @Override
        public MemorySegment packed(WeightGemm gemm) {
            Layout layout = Layout.forAllShapes(gemm.packedLayout(), gemm.packedBytes(k, n));
            return environment.weights().packed(sources(data, scales, zeros), layout, target -> {
                MemorySegment words = environment.weights().plain(data);
                MemorySegment by = scales.floats();
                MemorySegment points =
                        zeros == null ? null : environment.weights().plain(zeros);
                gemm.pack(
                        new BlockedWeights(format.type(), format.block(), words, by, FloatType.F32, points),
                        k,
                        n,
                        target);
            });
        }
    }

    /** A product whose weights are constants of 16 bits; false where that is not so. */
    static boolean halves(LoweringContext op) {
        Tensor weights = DataTypes.isHalf(op.in(1).type()) ? op.in(1).known() : StoredFloats.halves(op, 1);
        Shape shape = op.in(1).shape();
        boolean fits = op.in(0).type() == op.in(1).type()
                && shape.rank() == 2
                && op.in(0).shape().rank() > 0
                && op.out().elements() > 0
                && shape.dim(0) > 0;
        if (weights == null || !fits) {
            return false;
        }
        op.lowering()
                .defer(
                        op.out(),
                        new WeightRoot(
                                op.lowering(),
                                op.in(0),
                                new HalfWeights(op.environment(), weights),
                                op.out().shape()));
        return true;
    }

    /** Weights of 16 bits. */
    private record HalfWeights(CompileEnvironment environment, Tensor data) implements WeightRoot.StoredWeights {
        @Override
        public WeightFormat format() {
            return data.type() == ElementType.FLOAT16 ? WeightFormat.F16 : WeightFormat.BF16;
        }

        @Override
        public long k() {
            return data.shape().dim(0);
        }

        @Override
        public long n() {
            return data.shape().dim(1);
        }

        @Override
        public boolean rounds() {
            return false;
        }

        @Override
        public MemorySegment packed(WeightGemm gemm) {
            Layout layout = Layout.forAllShapes(gemm.packedLayout(), gemm.packedBytes(k(), n()));
            return environment
                    .weights()
                    .packed(
                            List.of(data),
                            layout,
                            target -> gemm.pack(environment.weights().plain(data), n(), k(), n(), target));
        }
    }
}
