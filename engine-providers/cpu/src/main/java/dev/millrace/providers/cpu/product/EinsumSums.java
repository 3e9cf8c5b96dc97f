package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** One step of an einsum, straight from the definition, a run at a time: products of runs, and their sums. */
record EinsumSums(
        EinsumTerms terms,
        EinsumTerms.Loops outer,
        EinsumTerms.Loops summed,
        EinsumPlan.Place[] from,
        EinsumPlan.Place to)
        implements Launch, RangeTask {
    private static final int BLOCK = 1024;

    /** Slots of scratch memory: the offsets of a result, those of a product, coordinates. */
    private static final int RESULT = 0;

    private static final int PRODUCT = 1;
    private static final int COORDINATES = 2;
    private static final int RUN = 3;
    private static final int NEXT = 4;
    private static final int SUMS = 5;

    static EinsumSums of(EinsumPlan.Step step) {
        EinsumTerms terms = step.terms();
        return new EinsumSums(
                terms, terms.outer(), terms.summed(), step.from().toArray(new EinsumPlan.Place[0]), step.to());
    }

    @Override
    public void run(LaunchContext launch) {
        long products = Math.max(1, summed.steps() * terms.run());
        if (terms.output().elements() > 0) {
            launch.parallelFor(outer.steps(), Math.max(1, 20_000 / products), this);
        }
    }

    @Override
    public void run(LaunchContext launch, long first, long end, Scratch scratch) {
        long[] offsets = scratch.longs(RESULT, from.length);
        for (long i = first; i < end; i++) {
            for (int input = 0; input < from.length; input++) {
                offsets[input] = from[input].first();
            }
            outer.add(i, offsets);
            if (!terms.keepsRun()) {
                results(launch, offsets, 0, terms.run(), i, scratch);
                continue;
            }
            for (long at = 0; at < terms.run(); at += BLOCK) {
                long count = Math.min(BLOCK, terms.run() - at);
                results(launch, offsets, at, count, i * terms.run() + at, scratch);
            }
        }
    }

    /** Computes one result of whole runs, or as many as a part of a run has elements. */
    private void results(LaunchContext launch, long[] offsets, long at, long count, long result, Scratch scratch) {
        long[] places = scratch.longs(PRODUCT, from.length);
        long[] coordinates = scratch.longs(COORDINATES, summed.axes());
        Arrays.fill(coordinates, 0, summed.axes(), 0);
        for (int input = 0; input < from.length; input++) {
            places[input] = offsets[input] + at * terms.runStride(input);
        }
        MemorySegment target = to.memory(launch);
        int results = terms.keepsRun() ? (int) count : 1;
        boolean real = to.type().isFloating();
        double[] reals = scratch.doubles(SUMS, real ? BLOCK : 0);
        long[] whole = scratch.longs(SUMS, real ? 0 : BLOCK);
        Arrays.fill(reals, 0, real ? results : 0, 0);
        Arrays.fill(whole, 0, real ? 0 : results, 0);
        for (long s = summed.steps(); s > 0; s--) {
            launch.checkCancelled(s);
            if (real) {
                addDoubles(launch, places, count, reals, scratch);
            } else {
                addLongs(launch, places, count, whole, scratch);
            }
            summed.advance(coordinates, places);
        }
        if (real) {
            Elements.write(to.type(), target, to.first() + result, reals, 0, results);
        } else {
            Elements.write(to.type(), target, to.first() + result, whole, 0, results);
        }
    }

    private void addDoubles(LaunchContext launch, long[] places, long length, double[] sums, Scratch scratch) {
        double[] product = scratch.doubles(RUN, BLOCK);
        double[] next = scratch.doubles(NEXT, BLOCK);
        for (long at = 0; at < length; at += BLOCK) {
            int count = (int) Math.min(BLOCK, length - at);
            double factor = 1;
            int read = 0;
            for (int input = 0; input < from.length; input++) {
                if (terms.runStride(input) == 0) {
                    factor *= Elements.getDouble(from[input].type(), from[input].memory(launch), places[input]);
                } else if (read++ == 0) {
                    read(launch, input, places, at, product, count);
                } else {
                    read(launch, input, places, at, next, count);
                    multiply(product, next, count);
                }
            }
            if (read == 0) {
                Arrays.fill(product, 0, count, 1);
            }
            if (terms.keepsRun()) {
                add(sums, factor, product, count);
            } else {
                sums[0] += factor * sum(product, count);
            }
        }
    }

    private static void multiply(double[] product, double[] next, int count) {
        for (int i = 0; i < count; i++) {
            product[i] *= next[i];
        }
    }

    private static void add(double[] sums, double factor, double[] product, int count) {
        for (int i = 0; i < count; i++) {
            sums[i] += factor * product[i];
        }
    }

    private static double sum(double[] product, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += product[i];
        }
        return sum;
    }

    private void read(LaunchContext launch, int input, long[] places, long at, double[] to, int count) {
        ElementType type = from[input].type();
        MemorySegment memory = from[input].memory(launch);
        long stride = terms.runStride(input);
        long first = places[input] + at * stride;
        if (stride == 1) {
            Elements.read(type, memory, first, to, 0, count);
        } else {
            for (int i = 0; i < count; i++) {
                to[i] = Elements.getDouble(type, memory, first + i * stride);
            }
        }
    }

    private void addLongs(LaunchContext launch, long[] places, long length, long[] sums, Scratch scratch) {
        long[] product = scratch.longs(RUN, BLOCK);
        long[] next = scratch.longs(NEXT, BLOCK);
        for (long at = 0; at < length; at += BLOCK) {
            int count = (int) Math.min(BLOCK, length - at);
            read(launch, 0, places, at, product, count);
            for (int input = 1; input < from.length; input++) {
                read(launch, input, places, at, next, count);
                for (int i = 0; i < count; i++) {
                    product[i] *= next[i];
                }
            }
            for (int i = 0; i < count; i++) {
                sums[terms.keepsRun() ? i : 0] += product[i];
            }
        }
    }

    private void read(LaunchContext launch, int input, long[] places, long at, long[] to, int count) {
        ElementType type = from[input].type();
        MemorySegment memory = from[input].memory(launch);
        long stride = terms.runStride(input);
        long first = places[input] + at * stride;
        if (stride == 1) {
            Elements.read(type, memory, first, to, 0, count);
        } else if (stride == 0) {
            Arrays.fill(to, 0, count, Elements.getLong(type, memory, first));
        } else {
            for (int i = 0; i < count; i++) {
                to[i] = Elements.getLong(type, memory, first + i * stride);
            }
        }
    }
}
