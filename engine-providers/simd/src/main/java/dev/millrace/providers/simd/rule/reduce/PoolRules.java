package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.pool.PlainPool;
import dev.millrace.kernels.pool.PlanePool;
import dev.millrace.kernels.pool.Pool;
import dev.millrace.kernels.pool.PoolingOperation;
import dev.millrace.kernels.pool.WindowShape;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.ByteWeights;
import dev.millrace.providers.simd.rule.common.PlaneCost;
import dev.millrace.providers.simd.rule.common.Reductions;
import dev.millrace.providers.simd.rule.common.WindowAxes;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The rules of poolings of images: in blocks of channels, or over planes where they have few channels. */
public final class PoolRules {
    /** The least part of a block that channels have to fill for blocks to pay, as its reciprocal. */
    private static final int LEAST_OF_BLOCK = 4;

    /**
     * The most terms of a sum in one accumulator: longer ones lose too much of the next term, and are left to kernels
     * with more accumulators.
     */
    private static final long MOST_TERMS = 1 << 15;

    private PoolRules() {}

    /**
     * A pooling node with the values that it reads and writes, which may be converted forms of its input and output.
     */
    private record Site(LoweringContext op, ValueState in, ValueState out) {
        static Site of(LoweringContext op) {
            return new Site(op, op.in(0), op.out());
        }
    }

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.MAX_POOL -> PoolRules::largest;
            case OpName.AVERAGE_POOL -> PoolRules::average;
            case OpName.LP_POOL -> PoolRules::norm;
            case OpName.GLOBAL_AVERAGE_POOL -> op -> global(op, PoolingOperation.average(), ReduceOp.MEAN);
            case OpName.GLOBAL_MAX_POOL -> op -> global(op, PoolingOperation.max(), ReduceOp.MAX);
            case "GlobalLpPool" -> PoolRules::globalNorm;
            default -> null;
        };
    }

    private static boolean largest(LoweringContext op) {
        if (op.wants(1) || op.attributes().integer("storage_order", 0) != 0) {
            return false;
        }
        return ByteWeights.areBytes(op.in(0).type()) ? ofBytes(op) : sliding(op, PoolingOperation.max());
    }

    /** Lowers a MaxPool of bytes as one of floats, which represent all bytes. */
    private static boolean ofBytes(LoweringContext op) {
        ValueState in = op.in(0);
        Axis[] axes = windows(op);
        if (axes == null || WindowAxes.isWide(axes[2])) {
            return false;
        }
        PartitionCompiler lowering = op.lowering();
        ValueState floats = lowering.part(op.out(), ElementType.FLOAT, in.shape());
        lowering.defer(floats, List.of(in), v -> v.getFirst().to(Kind.FLOAT));
        ValueState result = lowering.part(op.out(), ElementType.FLOAT, op.out().shape());
        pool(new Site(op, floats, result), axes, PoolingOperation.max());
        lowering.defer(op.out(), List.of(result), v -> v.getFirst().to(Kind.INT));
        return true;
    }

    private static boolean average(LoweringContext op) {
        boolean withPadding = op.attributes().flag("count_include_pad", false);
        if (!withPadding) {
            return sliding(op, PoolingOperation.average());
        }
        int spatial = op.in(0).shape().rank() - 2;
        boolean areExplicit = op.attributes().text("auto_pad", "NOTSET").equals("NOTSET");
        if (!areExplicit || spatial < 1 || spatial > 3) {
            return false;
        }
        long[] pads = WindowAxes.numbers(op.attributes(), "pads", 2 * spatial, 0);
        int[] behind = new int[3];
        for (int i = 0; i < spatial; i++) {
            behind[3 - spatial + i] = Math.toIntExact(pads[spatial + i]);
        }
        return sliding(op, PoolingOperation.averageWithPadding(behind[0], behind[1], behind[2]));
    }

    /** Lowers LpPool. Powers above squares leave the range of a float too soon. */
    private static boolean norm(LoweringContext op) {
        long p = op.attributes().integer("p", 2);
        return (p == 1 || p == 2) && sliding(op, PoolingOperation.norm((int) p));
    }

    private static boolean globalNorm(LoweringContext op) {
        long p = op.attributes().integer("p", 2);
        return (p == 1 || p == 2) && reduce(op, p == 1 ? ReduceOp.L1 : ReduceOp.L2);
    }

    private static boolean sliding(LoweringContext op, PoolingOperation pooling) {
        Axis[] axes = op.in(0).isFloat() ? windows(op) : null;
        return axes != null && pool(Site.of(op), axes, pooling);
    }

    /** Returns the axes that the windows of a node slide along, or null where kernels do not support them. */
    private static Axis @Nullable [] windows(LoweringContext op) {
        Shape in = op.in(0).shape();
        long[] kernel = WindowAxes.numbers(op.attributes(), "kernel_shape", 0, 0);
        return in.elements() == 0 ? null : WindowAxes.axes(op, in, op.out().shape(), kernel);
    }

    private static boolean global(LoweringContext op, PoolingOperation pooling, ReduceOp reduction) {
        return besideEachOther(op, reduction) || whole(op, pooling) || reduce(op, reduction);
    }

    /** Reduces all pixels of images whose channels are contiguous (NHWC), as byte convolutions leave them. */
    static boolean besideEachOther(LoweringContext op, ReduceOp reduction) {
        ValueState in = op.in(0);
        if (!Reductions.suit(in, reduction) || in.shape().rank() < 3 || in.elements() == 0) {
            return false;
        }
        op.lowering().materialise(in);
        if (in.isBlockedOnly()) {
            return false;
        }
        View images = op.lowering().view(in);
        if (images.isDense() || !images.channelsLast().isDense()) {
            return false;
        }
        Reductions.addOfPixels(op, reduction, images, op.out());
        return true;
    }

    /** Pools all pixels of images that are not in blocks. */
    private static boolean reduce(LoweringContext op, ReduceOp reduction) {
        ValueState in = op.in(0);
        if (!in.isFloat() || in.elements() == 0) {
            return false;
        }
        int[] spatial = IntStream.range(2, in.shape().rank()).toArray();
        Reductions.add(op, reduction, in, op.out(), spatial);
        return true;
    }

    /** Pools all pixels of images in blocks of channels. */
    static boolean whole(LoweringContext op, PoolingOperation pooling) {
        ValueState in = op.in(0);
        int spatial = in.shape().rank() - 2;
        if (!in.isFloat() || spatial < 1 || spatial > 3 || in.elements() == 0) {
            return false;
        }
        long pixels = in.elements() / (in.shape().dim(0) * in.shape().dim(1));
        if (pooling.isSum() && pixels > MOST_TERMS || !isInBlocks(Site.of(op))) {
            return false;
        }
        Axis[] axes = {Axis.pointwise(1), Axis.pointwise(1), Axis.pointwise(1)};
        for (int i = 0; i < spatial; i++) {
            int size = Math.toIntExact(in.shape().dim(2 + i));
            axes[3 - spatial + i] = new Axis(size, 1, size, 1, 1, 0);
        }
        return pool(Site.of(op), axes, pooling);
    }

    private static boolean pool(Site site, Axis[] axes, PoolingOperation pooling) {
        Shape in = site.in().shape();
        var shape = new WindowShape(Math.toIntExact(in.dim(0)), Math.toIntExact(in.dim(1)), axes[0], axes[1], axes[2]);
        if (ofPlanesPays(site, shape, pooling)) {
            addPlanes(site.op(), site.in(), site.out(), shape, pooling);
            return true;
        }
        if (WindowAxes.isWide(axes[2])) {
            return false;
        }
        return isInBlocks(site) ? ofBlocks(site, shape, pooling) : ofChannels(site, shape, pooling);
    }

    /**
     * Whether images are not in blocks and their rows fill vectors well, so that the conversion to blocks and back does
     * not pay.
     */
    private static boolean ofPlanesPays(Site site, WindowShape shape, PoolingOperation pooling) {
        site.op().lowering().materialise(site.in());
        int block = site.op().environment().block();
        if (site.in().isBlockedOnly() || !PlanePool.fits(site.op().environment().kernels(), shape, pooling)) {
            return false;
        }
        double taps = (double) shape.depth().taps()
                * shape.height().taps()
                * shape.width().taps();
        double seen = (double) shape.inPixels() / shape.outPixels();
        boolean gathered = shape.width().stride() > 1;
        double planes = shape.channels()
                * (PlaneCost.of(taps, shape.width().out(), block) + PlaneCost.ofInputs(seen, gathered, block));
        double blocked = Math.ceilDiv(shape.channels(), block) * (taps + PlaneCost.REORDER * (1 + seen));
        return planes < blocked;
    }

    /** Pools images that are not in blocks. */
    static void addPlanes(
            LoweringContext op, ValueState in, ValueState out, WindowShape shape, PoolingOperation pooling) {
        var pool = new PlanePool(op.environment().kernels(), shape, pooling);
        View from = op.lowering().dense(in);
        View to = op.lowering().allocate(out);
        op.lowering()
                .add(ProgramStep.of("pool of planes", op.node().name())
                        .reading(from)
                        .writing(to)
                        .scratch(pool.scratchBytes(op.lowering().width()))
                        .repeating(pooling.isOfKernels())
                        .calling(memory -> {
                            MemorySegment input = memory.segment(from);
                            MemorySegment output = memory.segment(to);
                            MemorySegment scratch = memory.scratch();
                            return crew -> pool.run(input, output, scratch, crew);
                        }));
    }

    /** Whether images are in blocks of channels, or have enough channels for them. */
    private static boolean isInBlocks(Site site) {
        site.op().lowering().materialise(site.in());
        long channels = site.in().shape().dim(1);
        return site.in().isBlockedOnly()
                || channels * LEAST_OF_BLOCK > site.op().environment().block();
    }

    /** A function that pools images from one memory to another. */
    private interface Images {
        void pool(MemorySegment from, MemorySegment to, Parallel crew);
    }

    private static boolean ofBlocks(Site site, WindowShape shape, PoolingOperation pooling) {
        var pool = new Pool(site.op().environment().kernels(), shape, pooling);
        View from = site.op().lowering().blocked(site.in());
        View to = site.op().lowering().allocateBlocked(site.out());
        return add(site, "pool", from, to, pooling.isOfKernels(), pool::run);
    }

    private static boolean ofChannels(Site site, WindowShape shape, PoolingOperation pooling) {
        var pool = new PlainPool(site.op().environment().kernels(), shape, pooling, false);
        View from = site.op().lowering().dense(site.in());
        View to = site.op().lowering().allocate(site.out());
        Images channels = (input, output, crew) -> pool.run(input, output, null, crew);
        return add(site, "pool of channels", from, to, pooling.isOfKernels(), channels);
    }

    private static boolean add(Site site, String name, View from, View to, boolean repeating, Images images) {
        site.op()
                .lowering()
                .add(ProgramStep.of(name, site.op().node().name())
                        .reading(from)
                        .writing(to)
                        .repeating(repeating)
                        .calling(memory -> {
                            MemorySegment input = memory.segment(from);
                            MemorySegment output = memory.segment(to);
                            return crew -> images.pool(input, output, crew);
                        }));
        return true;
    }
}
