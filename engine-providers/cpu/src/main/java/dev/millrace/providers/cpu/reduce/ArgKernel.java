package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * ArgMax and ArgMin: the place of the extreme element of each lane, the first or the last of equals; that of a NaN only
 * where there is nothing else.
 */
record ArgKernel(Node node, boolean greatest) implements ShapedKernel {
    private static final int BLOCK = 2048;

    /** Lanes side by side that are worth being taken together. */
    private static final int LEAST_ROW = 8;

    private static final int WIDTH = 512;

    /** Lanes along an axis, of any length: how many elements each has, and how far they are apart. */
    private record Axis(long extent, long inner) {
        long start(long lane) {
            return lane / inner * extent * inner + lane % inner;
        }
    }

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int rank = shape.rank();
        int at = Shape.axis(node.attributes().integer("axis", 0), Math.max(1, rank));
        boolean last = node.attributes().flag("select_last_index", false);
        var axis = rank == 0 ? new Axis(1, 1) : new Axis(shape.dim(at), shape.elements(at + 1, rank));
        long lanes = context.outputShape(0).elements();
        if (axis.inner() >= LEAST_ROW && axis.extent() > 0) {
            return rows(axis, type, last, lanes / axis.inner());
        }
        RangeTask task = type.isFloating() ? doubles(axis, type, last) : longs(axis, type, last);
        long grain = Math.max(1, 4096 / Math.max(1, axis.extent()));
        return launch -> launch.parallelFor(lanes, grain, task);
    }

    /** Many lanes at a time, row by row. */
    private Launch rows(Axis axis, ElementType type, boolean last, long outer) {
        long blocks = Math.ceilDiv(axis.inner(), WIDTH);
        RangeTask task = (launch, from, to, scratch) -> {
            long[] places = scratch.longs(0, WIDTH);
            long[] held = scratch.longs(1, WIDTH);
            long[] keys = scratch.longs(2, WIDTH);
            for (long item = from; item < to; item++) {
                long column = item % blocks * WIDTH;
                int width = (int) Math.min(WIDTH, axis.inner() - column);
                long first = item / blocks * axis.extent() * axis.inner() + column;
                readKeys(type, launch.input(0), first, held, width, scratch);
                Arrays.fill(places, 0, width, 0);
                for (long row = 1; row < axis.extent(); row++) {
                    launch.checkCancelled(row);
                    readKeys(type, launch.input(0), first + row * axis.inner(), keys, width, scratch);
                    improve(held, places, keys, row, last, width);
                }
                long at = item / blocks * axis.inner() + column;
                Elements.write(ElementType.INT64, launch.output(0), at, places, 0, width);
            }
        };
        long work = Math.max(1, axis.extent() * Math.min(WIDTH, axis.inner()));
        return launch -> launch.parallelFor(outer * blocks, Math.max(1, 4096 / work), task);
    }

    /** Elements as longs that are the greater, the better they are; zeros of both signs are one, and NaN is the least. */
    private void readKeys(ElementType type, MemorySegment from, long first, long[] keys, int count, Scratch scratch) {
        long worse = greatest ? 0 : -1;
        if (!type.isFloating()) {
            long flip = type == ElementType.UINT64 ? Long.MIN_VALUE ^ worse : worse;
            Elements.read(type, from, first, keys, 0, count);
            for (int i = 0; i < count && flip != 0; i++) {
                keys[i] ^= flip;
            }
            return;
        }
        double[] values = scratch.doubles(0, WIDTH);
        Elements.read(type, from, first, values, 0, count);
        for (int i = 0; i < count; i++) {
            double value = values[i] + 0.0;
            long bits = Double.doubleToRawLongBits(value);
            long key = bits ^ ((bits >> 63) & Long.MAX_VALUE) ^ worse;
            keys[i] = Double.isNaN(value) ? Long.MIN_VALUE : key;
        }
    }

    /** Keeps the better key of each lane, and the place where it is. */
    private static void improve(long[] held, long[] places, long[] keys, long place, boolean last, int count) {
        for (int i = 0; i < count; i++) {
            long better = Math.max(held[i], keys[i]);
            long apart = better ^ (last ? keys[i] : held[i]);
            long differs = (apart | -apart) >> 63;
            long takes = last ? ~differs : differs;
            places[i] = places[i] & ~takes | place & takes;
            held[i] = better;
        }
    }

    private RangeTask doubles(Axis axis, ElementType type, boolean last) {
        return (launch, from, to, scratch) -> {
            double[] block = scratch.doubles(0, BLOCK);
            for (long i = from; i < to; i++) {
                long best = 0;
                double held = 0;
                for (long at = 0; at < axis.extent(); at += BLOCK) {
                    launch.checkCancelled();
                    int count = (int) Math.min(BLOCK, axis.extent() - at);
                    long first = axis.start(i) + at * axis.inner();
                    Lanes.read(type, launch.input(0), first, axis.inner(), block, 0, count);
                    held = at == 0 ? block[0] : held;
                    for (int j = at == 0 ? 1 : 0; j < count; j++) {
                        if (isBetter(block[j], held) || last && isAsGood(block[j], held)) {
                            best = at + j;
                            held = block[j];
                        }
                    }
                }
                launch.output(0).set(ByteLayouts.LONG, i * 8, best);
            }
        };
    }

    private boolean isBetter(double value, double held) {
        return (greatest ? value > held : value < held) || Double.isNaN(held) && !Double.isNaN(value);
    }

    private static boolean isAsGood(double value, double held) {
        return value == held || Double.isNaN(value) && Double.isNaN(held);
    }

    private RangeTask longs(Axis axis, ElementType type, boolean last) {
        long flip = type == ElementType.UINT64 ? Long.MIN_VALUE : 0;
        return (launch, from, to, scratch) -> {
            long[] block = scratch.longs(0, BLOCK);
            for (long i = from; i < to; i++) {
                long best = 0;
                long held = 0;
                for (long at = 0; at < axis.extent(); at += BLOCK) {
                    launch.checkCancelled();
                    int count = (int) Math.min(BLOCK, axis.extent() - at);
                    long first = axis.start(i) + at * axis.inner();
                    Lanes.read(type, launch.input(0), first, axis.inner(), block, 0, count);
                    held = at == 0 ? block[0] : held;
                    for (int j = at == 0 ? 1 : 0; j < count; j++) {
                        int order = Long.compare(block[j] ^ flip, held ^ flip);
                        if ((greatest ? order > 0 : order < 0) || (last && order == 0)) {
                            best = at + j;
                            held = block[j];
                        }
                    }
                }
                launch.output(0).set(ByteLayouts.LONG, i * 8, best);
            }
        };
    }
}
