package dev.millrace.providers.cpu.experts;

import dev.millrace.graph.tensor.Layouts;
import java.lang.foreign.MemorySegment;

/**
 * Where a launch has what is between its passes. A route is a token's way through one of its experts.
 *
 * @param routes for each route its expert and how much it counts
 * @param inputs the tokens
 * @param hidden for each route the first layer's results, and then what the second is given
 * @param numbers for each route the third layer's results
 * @param outputs for each route the second layer's results
 */
record Memory(Rows routes, Rows inputs, Rows hidden, Rows numbers, Rows outputs) {
    /** Rows of numbers of one length, from a place on. */
    record Rows(long begin, long count, int length) {
        long at(long row, long column) {
            return begin + (row * length + column) * Double.BYTES;
        }

        private Rows behind(long rows, int ofLength) {
            return new Rows(at(count, 0), rows, ofLength);
        }

        double get(MemorySegment work, long row, int column) {
            return work.get(Layouts.DOUBLE, at(row, column));
        }

        void set(MemorySegment work, long row, int column, double value) {
            work.set(Layouts.DOUBLE, at(row, column), value);
        }

        void read(MemorySegment work, long row, double[] values, int first) {
            MemorySegment.copy(work, Layouts.DOUBLE, at(row, 0), values, 0, first);
        }

        void write(MemorySegment work, long row, double[] values, int first) {
            MemorySegment.copy(values, 0, work, Layouts.DOUBLE, at(row, 0), first);
        }
    }

    static Memory of(long tokens, long routes, int width, int hidden, int numbers) {
        var first = new Rows(0, routes, 2);
        Rows inputs = first.behind(tokens, width);
        Rows between = inputs.behind(routes, hidden);
        Rows gated = between.behind(routes, numbers);
        return new Memory(first, inputs, between, gated, gated.behind(routes, width));
    }

    long bytes() {
        return outputs.at(outputs.count(), 0);
    }
}
