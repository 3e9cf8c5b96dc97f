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
record RouteMemory(Section routes, Section inputs, Section hidden, Section numbers, Section outputs) {
    /** Rows of numbers of one length, from a place on. */
    record Section(long begin, long rows, int length) {
        long at(long row, long column) {
            return begin + (row * length + column) * Double.BYTES;
        }

        private Section behind(long count, int ofLength) {
            return new Section(at(rows, 0), count, ofLength);
        }

        double get(MemorySegment work, long row, int column) {
            return work.get(Layouts.DOUBLE, at(row, column));
        }

        void set(MemorySegment work, long row, int column, double value) {
            work.set(Layouts.DOUBLE, at(row, column), value);
        }

        void read(MemorySegment work, long row, double[] values, int count) {
            MemorySegment.copy(work, Layouts.DOUBLE, at(row, 0), values, 0, count);
        }

        void write(MemorySegment work, long row, double[] values, int count) {
            MemorySegment.copy(values, 0, work, Layouts.DOUBLE, at(row, 0), count);
        }
    }

    /**
     * Lays the sections out one behind the other.
     *
     * @param width the length of a token
     * @param first how many results the first layer has, and {@code third} the third one
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
