package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The format of the rows of a cache of keys or values: floats, or numbers that are multiplied by scales. Numbers of 4
 * bits are stored plus 8, two in a byte, the first in its lower half.
 *
 * @param input the cache that was before; absent if nothing was
 * @param stored the type of the numbers
 * @param size the number of elements of a row, which ends with a whole byte
 * @param scales null where numbers are not scaled
 * @param isRounded whether rows of this call are read as the cache gives them back, and not as they were before
 */
record CacheFormat(
        int input, ElementType stored, int size, @Nullable Scales scales, boolean isRounded) {
    /** The number that is stored as 0 in 4 bits. */
    private static final int LEAST_OF_FOUR_BITS = -8;

    /**
     * The scales of numbers.
     *
     * @param perChannel whether each element of each head has a scale, or all have one
     */
    private record Scales(int input, boolean perChannel, int size) {
        float of(LaunchContext launch, long head, int element) {
            long index = perChannel ? head * size + element : 0;
            return launch.input(input).getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
        }
    }

    /**
     * Returns the format of a cache.
     *
     * @param output the cache with the rows of this call
     * @param scaleInput the input with its scales
     * @param kind the attribute that says which elements share a scale
     */
    static CacheFormat of(BindContext context, int input, int output, int scaleInput, String kind, HeadLayout rows) {
        Node node = context.node();
        ElementType type = type(context, input, output);
        String scaled = node.attributes().text(kind, "NONE");
        if (scaled.equals("NONE")) {
            if (type.bits() == Byte.SIZE) {
                throw EngineException.invalidArgument(
                        node.describe() + ": a cache of " + type + " has scales, but '" + kind + "' is NONE");
            }
            // queries of another type see rows of this call as they were
            return new CacheFormat(input, type, rows.size(), null, type == context.inputType(0));
        }
        boolean perChannel = scaled.equals("PER_CHANNEL");
        if (!perChannel && !scaled.equals("PER_TENSOR")) {
            throw EngineException.invalidGraph(node.describe() + ": attribute '" + kind + "' is '" + scaled + "'");
        }
        long expected = perChannel ? (long) rows.heads() * rows.size() : 1;
        long given =
                context.hasInput(scaleInput) ? context.inputShape(scaleInput).elements() : 0;
        if (given != expected) {
            throw EngineException.invalidArgument(node.describe() + ": input " + scaleInput + " has " + given
                    + " scales where " + expected + " are expected");
        }
        var scales = new Scales(scaleInput, perChannel, rows.size());
        return new CacheFormat(input, stored(node, type), rows.size(), scales, true);
    }

    private static ElementType type(BindContext context, int input, int output) {
        if (context.hasInput(input)) {
            return context.inputType(input);
        }
        boolean present = output < context.outputCount() && context.hasOutput(output);
        return present ? context.outputType(output) : context.inputType(0);
    }

    private static ElementType stored(Node node, ElementType type) {
        long bits = node.attributes().integer("kv_cache_bit_width", 8);
        if (bits == 4 && type == ElementType.UINT8) {
            return ElementType.UINT4;
        }
        if (bits == 8 && (type == ElementType.INT8 || type == ElementType.FLOAT8E4M3FN)) {
            return type;
        }
        throw EngineException.invalidArgument(
                node.describe() + ": a cache of " + type + " holds no numbers of " + bits + " bits");
    }

    private long rowBytes() {
        return Math.ceilDiv((long) size * stored.bits(), Byte.SIZE);
    }

    private long first(long row) {
        return row * rowBytes() * Byte.SIZE / stored.bits();
    }

    /** Reads a row of a head. */
    void read(LaunchContext launch, MemorySegment from, long head, long row, float[] to, int at) {
        Elements.read(stored, from, first(row), to, at, size);
        for (int i = 0; i < size && scales != null; i++) {
            float number = stored == ElementType.UINT4 ? to[at + i] + LEAST_OF_FOUR_BITS : to[at + i];
            to[at + i] = number * scales.of(launch, head, i);
        }
    }

    /** Writes a row of a head. */
    void write(LaunchContext launch, MemorySegment to, long head, long row, float[] from, int at) {
        if (scales == null) {
            Elements.write(stored, to, first(row), from, at, size);
            return;
        }
        clear(to, row);
        for (int i = 0; i < size; i++) {
            float number = from[at + i] / scales.of(launch, head, i);
            double nearest = switch (stored) {
                case INT8 -> Math.clamp(Math.rint(number), Byte.MIN_VALUE, Byte.MAX_VALUE);
                case UINT4 -> Math.clamp(Math.rint(number) - LEAST_OF_FOUR_BITS, 0d, 15d);
                default -> number;
            };
            Elements.setDouble(stored, to, first(row) + i, nearest);
        }
    }

    /** Replaces a row by what a cache gives back for it, if it is read so. */
    void round(LaunchContext launch, long head, float[] row, int at) {
        if (isRounded && stored != ElementType.FLOAT) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[(int) rowBytes()]);
            write(launch, bytes, head, 0, row, at);
            read(launch, bytes, head, 0, row, at);
        }
    }

    /** Copies a row as it is. */
    void copy(MemorySegment from, long row, MemorySegment to, long toRow) {
        MemorySegment.copy(from, row * rowBytes(), to, toRow * rowBytes(), rowBytes());
    }

    /** Clears a row. */
    void clear(MemorySegment to, long row) {
        to.asSlice(row * rowBytes(), rowBytes()).fill((byte) 0);
    }
}
