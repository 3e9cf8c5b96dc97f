package dev.millrace.providers.cpu.experts;

import dev.millrace.graph.tensor.ByteLayouts;
import java.lang.foreign.MemorySegment;

/**
 * The workspace of a launch between its passes. A route is the pair of a token and one of its experts.
 *
 * @param routes the expert and the weight of each route
 * @param inputs the tokens
 * @param hidden the first layer's results of each route, later the inputs of the second
 * @param numbers the third layer's results of each route
 * @param outputs the second layer's results of each route
 */
record RouteMemory(Section routes, Section inputs, Section hidden, Section numbers, Section outputs) {
    /** Rows of numbers of one length, from an offset on. */
    record Section(long begin, long rows, int length) {
        long at(long row, long column) {
            return begin + (row * length + column) * Double.BYTES;
        }

        private Section behind(long count, int ofLength) {
            return new Section(at(rows, 0), count, ofLength);
        }

        double get(MemorySegment work, long row, int column) {
            return work.get(ByteLayouts.DOUBLE, at(row, column));
        }

        void set(MemorySegment work, long row, int column, double value) {
            work.set(ByteLayouts.DOUBLE, at(row, column), value);
        }

        void read(MemorySegment work, long row, double[] values, int count) {
            MemorySegment.copy(work, ByteLayouts.DOUBLE, at(row, 0), values, 0, count);
        }

        void write(MemorySegment work, long row, double[] values, int count) {
            MemorySegment.copy(values, 0, work, ByteLayouts.DOUBLE, at(row, 0), count);
        }
    }

    /**
     * Places the sections one after the other.
     *
     * @param width the length of a token
     * @param first the number of results of the first layer; {@code third} is that of the third
     */
    static RouteMemory of(long tokens, long routes, int width, int first, int third) {
        var ways = new Section(0, routes, 2);
        Section inputs = ways.behind(tokens, width);
        Section hidden = inputs.behind(routes, first);
        Section numbers = hidden.behind(routes, third);
        return new RouteMemory(ways, inputs, hidden, numbers, numbers.behind(routes, width));
    }

    long bytes() {
        return outputs.at(outputs.rows(), 0);
    }
}
