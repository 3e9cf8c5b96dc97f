package dev.millrace.kernels.gather;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Gathers and scatters by indices, tuples and elements. */
public final class RowsCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    @Override
    public String name() {
        return "rows";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        switch (random.nextInt(3)) {
            case 0 -> gather(kernels, memory, random, small);
            case 1 -> scatter(kernels, memory, random, small);
            default -> elements(kernels, memory, random, small);
        }
    }

    /** Indices, negative ones among them. */
    private static IndexList indices(GuardedMemory memory, Random random, long count, long... dims) {
        boolean wide = random.nextBoolean();
        MemorySegment data = memory.bytes((wide ? 8 : 4) * count, 4);
        for (long i = 0; i < count; i++) {
            long limit = dims[(int) (i % dims.length)];
            long index = random.nextLong(-limit, limit);
            if (wide) {
                data.set(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i, index);
            } else {
                data.set(ValueLayout.JAVA_INT_UNALIGNED, 4 * i, (int) index);
            }
        }
        return new IndexList(data, wide, count);
    }

    private static MemorySegment table(GuardedMemory memory, long count) {
        return memory.bytes(RowNumbers.tableBytes(count), 4);
    }

    private static long row(IndexList indices, long number, long... dims) {
        long row = 0;
        for (int i = 0; i < dims.length; i++) {
            long index = indices.get(number * dims.length + i);
            row = row * dims[i] + (index < 0 ? index + dims[i] : index);
        }
        return row;
    }

    private static void gather(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        long[] dims = new long[1 + random.nextInt(3)];
        long rows = 1;
        for (int i = 0; i < dims.length; i++) {
            dims[i] = 1 + random.nextInt(6);
            rows *= dims[i];
        }
        long count = random.nextInt(small ? 20 : 200);
        long blocks = 1 + random.nextInt(3);
        long width = random.nextInt(4) == 0 ? 1L << random.nextInt(4) : random.nextInt(small ? 80 : 600);
        IndexList indices = indices(memory, random, count * dims.length, dims);
        MemorySegment data = memory.randomBytes(blocks * rows * width, random);
        MemorySegment out = memory.bytes(blocks * count * width);
        MemorySegment table = table(memory, count);
        new RowNumbers(kernels).ofTuples(indices, dims, table);
        new RowGather(kernels)
                .gather(table, count, data, blocks, rows, width, out, TestThreads.of(1 + random.nextInt(3)));
        for (long block = 0; block < blocks; block++) {
            for (long i = 0; i < count; i++) {
                long from = (block * rows + row(indices, i, dims)) * width;
                long to = (block * count + i) * width;
                if (out.asSlice(to, width).mismatch(data.asSlice(from, width)) != -1) {
                    throw new AssertionError("gathered row " + i + " of " + count + ", " + width + " bytes wide");
                }
            }
        }
    }

    private static void scatter(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        RowMove.Update[] updates = RowMove.Update.values();
        RowMove.Update update = updates[random.nextInt(updates.length)];
        long rows = 1 + random.nextInt(20);
        long count = random.nextInt(small ? 20 : 100);
        int columns = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(small ? 20 : 2000);
        IndexList indices = indices(memory, random, count, rows);
        MemorySegment segment = memory.random(count * columns, random);
        MemorySegment out = memory.random(rows * columns, random);
        float[] expected = out.toArray(FLOAT);
        for (long i = 0; i < count; i++) {
            int row = (int) row(indices, i, rows);
            for (int j = 0; j < columns; j++) {
                float value = segment.getAtIndex(FLOAT, i * columns + j);
                int at = row * columns + j;
                expected[at] = switch (update) {
                    case SET -> value;
                    case ADD -> expected[at] + value;
                    case MUL -> expected[at] * value;
                    case MIN -> Math.min(expected[at], value);
                    case MAX -> Math.max(expected[at], value);
                };
            }
        }
        MemorySegment table = table(memory, count);
        new RowNumbers(kernels).ofIndices(indices, rows, table);
        new RowGather(kernels)
                .scatter(table, count, segment, update, out, rows, 4L * columns, TestThreads.of(1 + random.nextInt(3)));
        for (int i = 0; i < expected.length; i++) {
            if (out.getAtIndex(FLOAT, i) != expected[i]) {
                throw new AssertionError(update + " of " + count + " rows of " + columns + ": element " + i + " is "
                        + out.getAtIndex(FLOAT, i) + ", not " + expected[i]);
            }
        }
    }

    private static void elements(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int rank = 1 + random.nextInt(3);
        int axis = random.nextInt(rank);
        long[] dims = new long[rank];
        long[] dataDims = new long[rank];
        long count = 1;
        long elements = 1;
        for (int i = 0; i < rank; i++) {
            dataDims[i] = 1 + random.nextInt(small ? 5 : 12);
            dims[i] = i == axis ? 1 + random.nextInt(10) : 1 + random.nextInt((int) dataDims[i]);
            count *= dims[i];
            elements *= dataDims[i];
        }
        IndexList indices = indices(memory, random, count, dataDims[axis]);
        long width = 1L << random.nextInt(4);
        MemorySegment data = memory.randomBytes(elements * width, random);
        MemorySegment out = memory.bytes(count * width);
        ElementShape shape = new ElementShape(dims, dataDims, axis);
        if (width == 4 && random.nextBoolean()) {
            new SingleElementGather(kernels).gather(indices, shape, data, out, TestThreads.of(1 + random.nextInt(3)));
        } else {
            MemorySegment table = table(memory, count);
            new RowNumbers(kernels).ofElements(indices, shape, table);
            new RowGather(kernels).gather(table, count, data, 1, elements, width, out, TestThreads.of(1));
        }
        long[] place = new long[rank];
        for (long i = 0; i < count; i++) {
            long rest = i;
            for (int d = rank - 1; d >= 0; d--) {
                place[d] = rest % dims[d];
                rest /= dims[d];
            }
            place[axis] = row(indices, i, dataDims[axis]);
            long from = 0;
            for (int d = 0; d < rank; d++) {
                from = from * dataDims[d] + place[d];
            }
            if (out.asSlice(i * width, width).mismatch(data.asSlice(from * width, width)) != -1) {
                throw new AssertionError("element " + i + " of " + count + " along axis " + axis + " of " + rank);
            }
        }
    }
}
