package dev.millrace.providers.cpu.elementwise;

import static dev.millrace.providers.cpu.elementwise.UnaryKernel.BLOCK;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.SmallFloats;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.util.function.DoubleToLongFunction;

/** Cast and CastLike: from every type to every other. */
record CastKernel(Node node) implements ShapedKernel {
    /** The fewest texts for one range of a parallel loop. */
    private static final long TEXTS = 256;

    @Override
    public Launch bind(BindContext context) {
        ElementType from = context.inputType(0);
        ElementType to = context.outputType(0);
        if (from == to) {
            context.alias(0, 0);
            return Launch.none();
        }
        long count = context.outputShape(0).elements();
        if (to == ElementType.STRING) {
            RangeTask task = (launch, first, end, scratch) ->
                    TextCast.format(from, launch.input(0), launch.outputStrings(0), (int) first, (int) end);
            return launch -> launch.parallelFor(count, TEXTS, task);
        }
        if (from == ElementType.STRING) {
            boolean saturate = node.attributes().isOne("saturate", true);
            RangeTask task = (launch, first, end, scratch) ->
                    TextCast.parse(launch.inputStrings(0), to, launch.output(0), saturate, (int) first, (int) end);
            return launch -> launch.parallelFor(count, to.isPacked() ? Long.MAX_VALUE : TEXTS, task);
        }
        RangeTask task = task(from, to);
        long grain = UnaryKernel.grain(to);
        return launch -> launch.parallelFor(count, grain, task);
    }

    private RangeTask task(ElementType from, ElementType to) {
        if (to.bits() == 8 && to.isFloating()) {
            boolean saturate = node.attributes().isOne("saturate", true);
            String round = node.attributes().text("round_mode", "up");
            return to == ElementType.FLOAT8E8M0 ? powersOfTwo(from, round, saturate) : smallFloats(from, to, saturate);
        }
        if (!to.isFloating() && to != ElementType.BOOL) {
            return from.isFloating() ? towardsZero(from, to) : longs(from, to);
        }
        if (!from.isFloating() && !to.isFloating()) {
            return longs(from, to);
        }
        return from == ElementType.FLOAT && to.isFloating() || to == ElementType.FLOAT
                ? floats(from, to)
                : doubles(from, to);
    }

    /**
     * Converts to integers as Java's casts from double to int and long do: NaN becomes 0, and values out of range the
     * nearest. Narrower integers get the lower bits of an int.
     */
    private static RangeTask towardsZero(ElementType from, ElementType to) {
        DoubleToLongFunction integer = switch (to) {
            case INT64 -> x -> (long) x;
            case UINT64 -> x -> x >= 0x1p63 ? (long) (x - 0x1p63) ^ Long.MIN_VALUE : (long) x;
            case UINT32 -> x -> x < 0 ? (int) x : (long) Math.min(x, 0xffffffffL);
            default -> x -> (int) x;
        };
        return (launch, first, end, scratch) -> {
            double[] block = scratch.doubles(0, BLOCK);
            long[] integers = scratch.longs(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(from, launch.input(0), at, block, 0, count);
                for (int i = 0; i < count; i++) {
                    integers[i] = integer.applyAsLong(block[i]);
                }
                Elements.write(to, launch.output(0), at, integers, 0, count);
            }
        };
    }

    private static RangeTask longs(ElementType from, ElementType to) {
        return (launch, first, end, scratch) -> {
            long[] block = scratch.longs(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(from, launch.input(0), at, block, 0, count);
                Elements.write(to, launch.output(0), at, block, 0, count);
            }
        };
    }

    private static RangeTask floats(ElementType from, ElementType to) {
        return (launch, first, end, scratch) -> {
            float[] block = scratch.floats(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(from, launch.input(0), at, block, 0, count);
                Elements.write(to, launch.output(0), at, block, 0, count);
            }
        };
    }

    private static RangeTask doubles(ElementType from, ElementType to) {
        return (launch, first, end, scratch) -> {
            double[] block = scratch.doubles(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(from, launch.input(0), at, block, 0, count);
                Elements.write(to, launch.output(0), at, block, 0, count);
            }
        };
    }

    private static RangeTask smallFloats(ElementType from, ElementType to, boolean saturate) {
        return (launch, first, end, scratch) -> {
            MemorySegment input = launch.input(0);
            MemorySegment output = launch.output(0);
            for (long i = first; i < end; i++) {
                float value = (float) Elements.getDouble(from, input, i);
                output.set(ByteLayouts.BYTE, i, (byte) SmallFloats.encode(to, value, saturate));
            }
        };
    }

    /**
     * Converts to float8e8m0. The sign is dropped, and a value between two powers of two goes up, down or to the
     * nearest.
     */
    private static RangeTask powersOfTwo(ElementType from, String round, boolean saturate) {
        return (launch, first, end, scratch) -> {
            MemorySegment input = launch.input(0);
            MemorySegment output = launch.output(0);
            for (long i = first; i < end; i++) {
                float value = Math.abs((float) Elements.getDouble(from, input, i));
                output.set(ByteLayouts.BYTE, i, (byte)
                        SmallFloats.encode(ElementType.FLOAT8E8M0, rounded(value, round), saturate));
            }
        };
    }

    private static float rounded(float value, String round) {
        if (round.equals("nearest") || !(value >= Float.MIN_NORMAL) || Float.isInfinite(value)) {
            return value;
        }
        int bits = Float.floatToRawIntBits(value);
        int power = bits & 0x7f800000;
        boolean exact = bits == power;
        return Float.intBitsToFloat(exact || round.equals("down") ? power : power + 0x00800000);
    }
}
