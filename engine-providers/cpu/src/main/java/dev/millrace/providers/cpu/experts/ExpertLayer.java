package dev.millrace.providers.cpu.experts;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A layer of all experts: a matrix of a row for each result and a bias.
 *
 * @param input where the weights are
 * @param bias the type of the bias behind the weights, null where there is none
 * @param packing how the weights are made small, null where they are not
 */
record ExpertLayer(
        int input,
        int rows,
        int columns,
        ElementType type,
        @Nullable ElementType bias,
        @Nullable Packing packing) {
    /**
     * Weights of few bits with scales.
     *
     * @param block how many weights of a row share a scale; all of it where it is 0
     * @param zeros the input of zero points, or -1 where they are the middle
     */
    record Packing(int bits, long block, ElementType scale, int zeros) {
        private int packed(MemorySegment bytes, long row, long place) {
            long bit = place * bits;
            int shift = (int) (bit & 7);
            return (bytes.get(ByteLayouts.BYTE, row + (bit >> 3)) & 0xff) >> shift & (1 << bits) - 1;
        }

        private int zero(LaunchContext run, long begin, long place) {
            return zeros < 0 ? 1 << (bits - 1) : packed(run.input(zeros), begin, place);
        }

        private long bytes(long count) {
            return (count * bits + 7) / 8;
        }
    }

    static ExpertLayer real(BindContext context, int input) {
        return new ExpertLayer(
                input,
                ArrayExtents.toInt("rows of a layer", context.inputShape(input).dim(1)),
                ArrayExtents.toInt(
                        "columns of a layer", context.inputShape(input).dim(2)),
                context.inputType(input),
                context.hasInput(input + 1) ? context.inputType(input + 1) : null,
                null);
    }

    /** @param columns the number of weights in a row, which may end inside of a byte */
    static ExpertLayer packed(BindContext context, int input, int columns, int bits, long block, int zeros) {
        return new ExpertLayer(
                input,
                ArrayExtents.toInt("rows of a layer", context.inputShape(input).dim(1)),
                columns,
                context.inputType(input),
                context.hasInput(input + 2) ? context.inputType(input + 2) : null,
                new Packing(bits, block, context.inputType(input + 1), context.hasInput(zeros) ? zeros : -1));
    }

    double bias(LaunchContext run, int expert, int row) {
        int behind = input + (packing == null ? 1 : 2);
        return bias == null ? 0 : Elements.getDouble(bias, run.input(behind), (long) expert * rows + row);
    }

    /** Reads a row of an expert's matrix. */
    void read(LaunchContext run, int expert, int row, double[] weights) {
        long at = (long) expert * rows + row;
        if (packing == null) {
            Elements.read(type, run.input(input), at * columns, weights, 0, columns);
            return;
        }
        long begin = at * packing.bytes(columns);
        boolean byRow = packing.block() == 0;
        long block = byRow ? columns : packing.block();
        long blocks = (columns + block - 1) / block;
        for (long b = 0; b < blocks; b++) {
            double scale = Elements.getDouble(packing.scale(), run.input(input + 1), at * blocks + b);
            int zero = byRow
                    ? packing.zero(run, expert * packing.bytes(rows), row)
                    : packing.zero(run, at * packing.bytes(blocks), b);
            long end = Math.min(columns, (b + 1) * block);
            for (long j = b * block; j < end; j++) {
                weights[(int) j] = (packing.packed(run.input(input), begin, j) - zero) * scale;
            }
        }
    }
}
