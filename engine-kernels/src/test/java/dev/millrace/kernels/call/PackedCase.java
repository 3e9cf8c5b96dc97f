package dev.millrace.kernels.call;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.conv.Conv;
import dev.millrace.kernels.conv.ConvMethod;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.TransposedConv;
import dev.millrace.kernels.conv.bytes.QuantisedConv;
import dev.millrace.kernels.conv.bytes.QuantisedConvolution;
import dev.millrace.kernels.conv.bytes.QuantisedDepthwiseConv;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.lowp.BlockedWeights;
import dev.millrace.kernels.lowp.QuantisedGemm;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedProduct;
import dev.millrace.kernels.lowp.QuantisedResult;
import dev.millrace.kernels.lowp.WeightExtents;
import dev.millrace.kernels.lowp.WeightGemm;
import dev.millrace.kernels.lowp.WeightProduct;
import dev.millrace.kernels.lowp.WeightType;
import dev.millrace.kernels.pool.DepthwiseConv;
import dev.millrace.kernels.pool.WindowShape;
import dev.millrace.kernels.recurrent.GruVariant;
import dev.millrace.kernels.recurrent.LstmStep;
import dev.millrace.kernels.recurrent.Recurrent;
import dev.millrace.kernels.recurrent.RecurrentCall;
import dev.millrace.kernels.recurrent.RecurrentSizes;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A driver with weights to pack and a computation that uses them. */
interface PackedCase {
    PacksWeights driver();

    long packedBytes();

    void pack(MemorySegment packed);

    void run(MemorySegment packed, MemorySegment out);

    /** The factory of a case for some kernels. All cases of one factory compute the same, from the same numbers. */
    interface Maker {
        PackedCase make(Kernels kernels, Numbers numbers);
    }

    /** The factories, with names for the reader. */
    enum Kind {
        GEMM(PackedCase::gemm),
        GEMM_OF_BYTES(PackedCase::gemmOfBytes),
        GEMM_OF_BLOCKS(PackedCase::gemmOfBlocks),
        CONV((kernels, numbers) -> conv(kernels, numbers, ConvMethod.DIRECT)),
        WINOGRAD_2((kernels, numbers) -> conv(kernels, numbers, ConvMethod.WINOGRAD_2)),
        WINOGRAD_4((kernels, numbers) -> conv(kernels, numbers, ConvMethod.WINOGRAD_4)),
        TRANSPOSED_CONV(PackedCase::transposedConv),
        DEPTHWISE_CONV(PackedCase::depthwiseConv),
        CONV_OF_BYTES(PackedCase::convOfBytes),
        DEPTHWISE_CONV_OF_BYTES(PackedCase::depthwiseConvOfBytes),
        LSTM(PackedCase::lstm),
        GRU((kernels, numbers) -> gru(kernels, numbers, false)),
        GRU_RESET_AFTER((kernels, numbers) -> gru(kernels, numbers, true));

        private final Maker maker;

        Kind(Maker maker) {
            this.maker = maker;
        }

        PackedCase make(Kernels kernels, Numbers numbers) {
            return maker.make(kernels, numbers);
        }
    }

    /**
     * The side of all matrices in elements, and the number of channels of all images, which fill vectors of all widths.
     */
    int SIDE = 32;

    int PIXELS = 8;
    int OUT_BYTES = 4 * SIDE * PIXELS * PIXELS;

    /** The packing of a case. */
    interface Packing {
        void pack(MemorySegment packed);
    }

    interface Running {
        void run(MemorySegment packed, MemorySegment out);
    }

    static PackedCase of(PacksWeights driver, long packedBytes, Packing packing, Running running) {
        return new PackedCase() {
            @Override
            public PacksWeights driver() {
                return driver;
            }

            @Override
            public long packedBytes() {
                return packedBytes;
            }

            @Override
            public void pack(MemorySegment packed) {
                packing.pack(packed);
            }

            @Override
            public void run(MemorySegment packed, MemorySegment out) {
                running.run(packed, out);
            }
        };
    }

    private static PackedCase gemm(Kernels kernels, Numbers numbers) {
        Gemm gemm = kernels.gemm();
        MemorySegment a = numbers.floats(SIDE * SIDE);
        MemorySegment b = numbers.floats(SIDE * SIDE);
        return of(
                gemm,
                gemm.packedBytes(SIDE, SIDE),
                packed -> gemm.pack(b, SIDE, SIDE, SIDE, packed),
                (packed, out) -> gemm.run(GemmProduct.of(a, packed, out, SIDE, SIDE, SIDE), Parallel.NONE));
    }

    private static PackedCase gemmOfBytes(Kernels kernels, Numbers numbers) {
        QuantisedGemm gemm = new QuantisedGemm(kernels.set());
        QuantisedMatrix a = QuantisedMatrix.of(numbers.bytes(SIDE * SIDE), false, SIDE);
        QuantisedMatrix b = QuantisedMatrix.of(numbers.bytes(SIDE * SIDE), true, SIDE);
        MemorySegment scratch = numbers.bytes((int) gemm.scratchBytes(SIDE, SIDE, true, 1));
        return of(
                gemm,
                gemm.packedBytes(SIDE, SIDE),
                packed -> gemm.pack(b, SIDE, SIDE, packed),
                (packed, out) -> gemm.run(
                        new QuantisedProduct(a, packed, QuantisedResult.ints(out, SIDE), SIDE, SIDE, SIDE),
                        scratch,
                        Parallel.NONE));
    }

    private static PackedCase gemmOfBlocks(Kernels kernels, Numbers numbers) {
        BlockedWeights weights = new BlockedWeights(
                WeightType.INT4, SIDE, numbers.bytes(SIDE * SIDE / 2), numbers.floats(SIDE), FloatType.F32, null);
        WeightGemm gemm = new WeightGemm(kernels.set(), weights.format());
        MemorySegment a = numbers.floats(SIDE * SIDE);
        WeightExtents extents = new WeightExtents(SIDE, SIDE, SIDE, FloatType.F32, FloatType.F32, false);
        MemorySegment scratch = numbers.floats((int) gemm.scratchBytes(extents, 1) / 4);
        return of(
                gemm,
                gemm.packedBytes(SIDE, SIDE),
                packed -> gemm.pack(weights, SIDE, SIDE, packed),
                (packed, out) -> gemm.run(WeightProduct.of(a, packed, out, SIDE, SIDE, SIDE), scratch, Parallel.NONE));
    }

    private static Axis axis() {
        return Axis.of(PIXELS, 3, 1, 1, 1, 1);
    }

    private static ConvShape convShape() {
        return ConvShape.flat(1, SIDE, SIDE, axis(), axis());
    }

    private static PackedCase conv(Kernels kernels, Numbers numbers, ConvMethod method) {
        Conv conv = new Conv(kernels.set(), convShape(), false, Expr.input(0), method);
        MemorySegment in = numbers.floats(SIDE * PIXELS * PIXELS);
        MemorySegment weights = numbers.floats(9 * SIDE * SIDE);
        MemorySegment scratch = numbers.floats((int) conv.scratchBytes(1) / 4 + 1);
        return of(
                conv,
                conv.packedBytes(),
                packed -> conv.pack(weights, null, packed),
                (packed, out) -> conv.run(in, packed, null, out, scratch, Parallel.NONE));
    }

    private static PackedCase transposedConv(Kernels kernels, Numbers numbers) {
        TransposedConv conv = new TransposedConv(kernels.set(), convShape(), Expr.input(0));
        MemorySegment in = numbers.floats(SIDE * PIXELS * PIXELS);
        MemorySegment weights = numbers.floats(9 * SIDE * SIDE);
        return of(
                conv,
                conv.packedBytes(),
                packed -> conv.pack(weights, null, packed),
                (packed, out) -> conv.run(in, packed, null, out, Parallel.NONE));
    }

    private static PackedCase depthwiseConv(Kernels kernels, Numbers numbers) {
        DepthwiseConv conv = new DepthwiseConv(kernels.set(), WindowShape.flat(1, SIDE, axis(), axis()), Expr.input(0));
        MemorySegment in = numbers.floats(SIDE * PIXELS * PIXELS);
        MemorySegment weights = numbers.floats(9 * SIDE);
        return of(
                conv,
                conv.packedBytes(),
                packed -> conv.pack(weights, null, packed),
                (packed, out) -> conv.run(in, packed, null, out, Parallel.NONE));
    }

    private static PackedCase convOfBytes(Kernels kernels, Numbers numbers) {
        return convOfBytes(new QuantisedConv(kernels.set(), convShape()), SIDE, numbers);
    }

    private static PackedCase depthwiseConvOfBytes(Kernels kernels, Numbers numbers) {
        return convOfBytes(new QuantisedDepthwiseConv(kernels.set(), convShape().inGroups(SIDE)), 1, numbers);
    }

    private static PackedCase convOfBytes(QuantisedConvolution conv, int channelsOfGroup, Numbers numbers) {
        QuantisedMatrix in = QuantisedMatrix.of(numbers.bytes(SIDE * PIXELS * PIXELS), false, SIDE);
        int columns = 9 * channelsOfGroup;
        QuantisedMatrix weights = QuantisedMatrix.of(numbers.bytes(SIDE * columns), true, columns);
        MemorySegment scratch = numbers.bytes((int) conv.scratchBytes(true, 1));
        return of(
                conv,
                conv.packedBytes(),
                packed -> conv.pack(weights, packed),
                (packed, out) -> conv.run(in, packed, QuantisedResult.ints(out, SIDE), scratch, Parallel.NONE));
    }

    private static PackedCase lstm(Kernels kernels, Numbers numbers) {
        Expr x = Expr.input(0);
        LstmStep.Variant variant = new LstmStep.Variant(x, x, x, false, false, false);
        return recurrent(Recurrent.lstm(kernels.set(), kernels.gemm(), List.of(variant), 0), 4, numbers);
    }

    private static PackedCase gru(Kernels kernels, Numbers numbers, boolean resetAfter) {
        Expr x = Expr.input(0);
        GruVariant variant = new GruVariant(x, x, false, resetAfter);
        return recurrent(Recurrent.gru(kernels.set(), kernels.gemm(), List.of(variant), 0), 3, numbers);
    }

    private static PackedCase recurrent(Recurrent layer, int gates, Numbers numbers) {
        RecurrentSizes shape = new RecurrentSizes(2, PIXELS, SIDE, SIDE, RecurrentSizes.Direction.FORWARD);
        MemorySegment in = numbers.floats(2 * PIXELS * SIDE);
        MemorySegment w = numbers.floats(gates * SIDE * SIDE);
        MemorySegment r = numbers.floats(gates * SIDE * SIDE);
        MemorySegment bias = numbers.floats(2 * gates * SIDE);
        MemorySegment scratch = numbers.floats((int) layer.scratchBytes(shape) / 4);
        return of(
                layer,
                layer.packedBytes(shape),
                packed -> layer.pack(shape, w, r, bias, packed),
                (packed, out) -> layer.run(RecurrentCall.of(shape, in, packed, out), scratch, Parallel.NONE));
    }
}
