package dev.millrace.providers.simd;

import dev.millrace.graph.tensor.Layouts;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Scratch;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** An instruction bound to shapes: so many items of work, each apart from the others. */
sealed interface BoundInstruction extends RangeTask {
    /** Steps of an expression times elements, or multiplications by 30, that are worth handing to another thread. */
    long WORTH = 32_768;

    long items();

    long grain();

    /** An expression over blocks of elements. */
    record Elementwise(BoundExpression expression, long elements, int cost, Place target) implements BoundInstruction {
        @Override
        public long items() {
            return Math.ceilDiv(elements, (long) Expression.BLOCK);
        }

        @Override
        public long grain() {
            return Math.max(1, WORTH / ((long) Expression.BLOCK * cost));
        }

        @Override
        public void run(LaunchContext context, long from, long to, Scratch scratch) {
            MemorySegment result = target.segment(context);
            for (long block = from; block < to; block++) {
                long position = block * Expression.BLOCK;
                int n = (int) Math.min(Expression.BLOCK, elements - position);
                float[] values = expression.evaluate(context, scratch, position, n);
                MemorySegment.copy(values, 0, result, Layouts.FLOAT, target.base() + position * Float.BYTES, n);
            }
        }
    }

    /** A product over tiles, all rows of one band of columns before the next band. */
    final class Product implements BoundInstruction, ProductKernel.RowSink {
        private final ProductKernel kernel;
        private final ProductKernel.Matrices matrices;
        private final long rows;
        private final long blocks;
        private final Place target;
        private final @Nullable BoundExpression expression;

        Product(
                ProductKernel kernel,
                ProductKernel.Matrices matrices,
                long rows,
                Place target,
                @Nullable BoundExpression expression) {
            this.kernel = kernel;
            this.matrices = matrices;
            this.rows = rows;
            this.blocks = Math.ceilDiv(rows, (long) kernel.rows());
            this.target = target;
            this.expression = expression;
        }

        @Override
        public long items() {
            return blocks * Math.ceilDiv(matrices.n(), (long) kernel.columns());
        }

        @Override
        public long grain() {
            long columns = Math.min(kernel.columns(), matrices.n());
            long rowsOfTile = Math.min(kernel.rows(), rows);
            return Math.max(1, 30 * WORTH / Math.max(1, columns * rowsOfTile * matrices.k()));
        }

        @Override
        public void run(LaunchContext context, long from, long to, Scratch scratch) {
            for (long item = from; item < to; item++) {
                long block = item % blocks;
                // blocks of nearly the same height, and no low one at the end
                long first = rows * block / blocks;
                long next = rows * (block + 1) / blocks;
                int panel = (int) (item / blocks);
                kernel.tile(matrices, context, first, (int) (next - first), panel, scratch, this);
            }
        }

        @Override
        public void accept(LaunchContext context, Scratch scratch, float[] values, int at, long position, int width) {
            MemorySegment result = target.segment(context);
            long to = target.base() + position * Float.BYTES;
            if (expression == null) {
                MemorySegment.copy(values, at, result, Layouts.FLOAT, to, width);
            } else {
                float[] finished = expression.evaluate(context, scratch, position, width, values, at);
                MemorySegment.copy(finished, 0, result, Layouts.FLOAT, to, width);
            }
        }
    }
}
