package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * MatMulNBits: rows times columns of weights of 2, 4 or 8 bits, whose blocks along K have scales and zero points. Where a
 * model asks for no more accuracy than that of bytes, rows are rounded to them before they meet weights of 4 bits.
 */
record BlockedProductKernel(Node node) implements ShapedKernel {
    private static final int WEIGHTS = 1;
    private static final int SCALES = 2;
    private static final int ZEROS = 3;
    private static final int ORDER = 4;
    private static final int BIAS = 5;
    /** The level of accuracy by which a model allows products of bytes. */
    private static final int BYTES = 4;
    /** The largest byte with a sign. */
    private static final int MOST = 127;

    /**
     * How a column of weights lies in memory.
     *
     * @param zeros the type of the zero points, or null where all are half of what a weight may be
     */
    private record Column(
            int k,
            int bits,
            int block,
            ElementType scales,
            @Nullable ElementType zeros) {
        int blocks() {
            return (k + block - 1) / block;
        }

        long bytes() {
            return (long) blocks() * block * bits / 8;
        }

        /** Zero points of bytes are packed like the weights, each column from a byte of its own. */
        long zerosOfColumn() {
            return zeros == ElementType.UINT8 ? (blocks() * bits + 7) / 8 : blocks();
        }

        double weight(LaunchContext launch, long column, int at, int group) {
            int stored = part(launch.input(WEIGHTS), column * bytes(), at);
            double scale = Elements.getDouble(scales, launch.input(SCALES), column * blocks() + group);
            return (stored - zero(launch, column, group)) * scale;
        }

        private double zero(LaunchContext launch, long column, int group) {
            if (zeros == null) {
                return 1 << (bits - 1);
            }
            long first = column * zerosOfColumn();
            return zeros == ElementType.UINT8
                    ? part(launch.input(ZEROS), first, group)
                    : Elements.getDouble(zeros, launch.input(ZEROS), first + group);
        }

        /** Number {@code at} of those that are packed from a byte on, the first in its lowest bits. */
        private int part(MemorySegment packed, long first, int at) {
            int perByte = 8 / bits;
            int word = (int) Elements.getLong(ElementType.UINT8, packed, first + at / perByte);
            return word >> at % perByte * bits & (1 << bits) - 1;
        }
    }

    @Override
    public Launch bind(BindContext context) {
        Column column = column(context);
        int k = column.k();
        int n = ArrayExtents.toInt("columns of weights", node.attributes().integer("N"));
        check(context, column, n);
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        long rows = shape.elements(0, shape.rank() - 1);
        ElementType order = context.hasInput(ORDER) ? context.inputType(ORDER) : null;
        boolean bias = context.hasInput(BIAS);
        boolean rounds =
                order == null && column.bits() == 4 && node.attributes().integer("accuracy_level", 0) == BYTES;
        RangeTask task = (launch, from, to, scratch) -> {
            double[] weights = scratch.doubles(0, k);
            double[] row = scratch.doubles(1, k);
            for (long j = from; j < to; j++) {
                launch.checkCancelled();
                for (int i = 0; i < k; i++) {
                    int group = order == null ? i / column.block() : group(launch, order, i, column.blocks());
                    weights[i] = column.weight(launch, j, i, group);
                }
                double added = bias ? Elements.getDouble(type, launch.input(BIAS), j) : 0;
                for (long i = 0; i < rows; i++) {
                    Elements.read(type, launch.input(0), i * k, row, 0, k);
                    if (rounds) {
                        round(row, k, column.block());
                    }
                    Elements.setDouble(type, launch.output(0), i * n + j, added + product(row, weights, k));
                }
            }
        };
        return launch -> launch.parallelFor(n, 1, task);
    }

    private Column column(BindContext context) {
        Attributes attributes = node.attributes();
        int k = ArrayExtents.toInt("weights of a column", attributes.integer("K"));
        int bits = (int) attributes.integer("bits", 4);
        int block = ArrayExtents.toInt("weights of a block", attributes.integer("block_size"));
        if (bits != 2 && bits != 4 && bits != 8 || block < 1 || block * bits % 8 != 0) {
            throw EngineException.notImplemented(
                    node.describe() + ": weights of " + bits + " bits in blocks of " + block);
        }
        ElementType zeros = context.hasInput(ZEROS) ? context.inputType(ZEROS) : null;
        return new Column(k, bits, block, context.inputType(SCALES), zeros);
    }

    private void check(BindContext context, Column column, int n) {
        checkCount(context, WEIGHTS, n * column.bytes());
        checkCount(context, SCALES, (long) n * column.blocks());
        checkCount(context, ZEROS, n * column.zerosOfColumn());
        checkCount(context, BIAS, n);
        long ordered = context.hasInput(ORDER) ? context.inputShape(ORDER).elements() : column.k();
        if (ordered != column.k() && ordered != (long) column.blocks() * column.block()) {
            throw EngineException.invalidArgument(
                    node.describe() + ": " + ordered + " blocks are named for " + column.k() + " rows");
        }
    }

    private void checkCount(BindContext context, int input, long count) {
        if (context.hasInput(input) && context.inputShape(input).elements() != count) {
            throw EngineException.invalidArgument(node.describe() + ": input " + input + " of shape "
                    + context.inputShape(input) + " has not the " + count + " elements that are expected");
        }
    }

    private int group(LaunchContext launch, ElementType type, int row, int blocks) {
        long group = Elements.getLong(type, launch.input(ORDER), row);
        if (group < 0 || group >= blocks) {
            throw EngineException.invalidArgument(
                    node.describe() + ": row " + row + " is of block " + group + ", which is none of " + blocks);
        }
        return (int) group;
    }

    /** The numbers of each block in steps of which 127 make the largest. */
    private static void round(double[] row, int k, int block) {
        for (int first = 0; first < k; first += block) {
            int end = Math.min(k, first + block);
            double most = 0;
            for (int i = first; i < end; i++) {
                most = Math.max(most, Math.abs(row[i]));
            }
            float step = (float) most / MOST;
            float perStep = step == 0 ? 0 : 1 / step;
            for (int i = first; i < end; i++) {
                row[i] = step * Math.rint((float) row[i] * perStep);
            }
        }
    }

    private static double product(double[] row, double[] weights, int k) {
        double sum = 0;
        for (int i = 0; i < k; i++) {
            sum += row[i] * weights[i];
        }
        return sum;
    }
}
