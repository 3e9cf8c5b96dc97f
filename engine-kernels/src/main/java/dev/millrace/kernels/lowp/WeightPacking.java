package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.memory.Blocks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/** The packing of stored weights, done once. */
final class WeightPacking {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final WeightPanels panels;
    private final MemorySegment packed;

    WeightPacking(WeightPanels panels, MemorySegment packed) {
        this.panels = panels;
        this.packed = packed;
        packed.asSlice(0, panels.byteSize()).fill((byte) 0);
    }

    /**
     * Packs weights in blocks. Whole groups keep the order in which they are given; inverting the highest bits makes
     * their middle 0. A kernel packs whole vectors of columns.
     */
    void blocked(BlockedWeights weights, WeightKernels kernels) {
        int lanes = panels.lanes();
        long words = panels.blocks() * groups();
        boolean isReached = words * lanes <= Integer.MAX_VALUE / Integer.BYTES;
        CompiledKernel pack = kernels.packGroups();
        Memory memory = kernels.set().newMemory();
        MemorySegment indices = columnsEvery(words, isReached);
        boolean withScales = isReached
                && weights.scaleType() == FloatType.F32
                && !panels.format().halfScales();
        if (withScales) {
            scales(weights, kernels.packScales(), memory);
        }
        for (long panel = 0; panel < panels.panels(); panel++) {
            int vectors = isReached ? panels.width(panel) / lanes : 0;
            long first = panel * panels.columns();
            long rest = first + (long) vectors * lanes;
            for (long block = 0; block < panels.blocks(); block++) {
                terms(weights, block, panel, withScales ? rest : first);
                if (vectors > 0) {
                    pack.call(
                            memory,
                            memory.pointer(weights.data()) + Integer.BYTES * (first * words + block * groups()),
                            memory.pointer(packed) + panels.group(block, 0, first),
                            groups(),
                            Integer.BYTES * words * lanes | rowBytes(panel) << 32,
                            vectors,
                            memory.pointer(indices));
                }
                for (long column = rest; column < first + panels.width(panel); column++) {
                    groups(weights, block, column);
                }
            }
        }
        Reference.reachabilityFence(weights);
        Reference.reachabilityFence(packed);
    }

    /**
     * Returns the offsets, in words, of the columns of a vector, which are {@code words} long; zeros where ints are too
     * small for them.
     */
    private MemorySegment columnsEvery(long words, boolean isReached) {
        MemorySegment indices = Blocks.allocate((long) panels.lanes() * Integer.BYTES, 64);
        for (int i = 0; isReached && i < panels.lanes(); i++) {
            indices.setAtIndex(INT, i, (int) (i * words));
        }
        return indices;
    }

    /** Packs the scales of all whole vectors of columns. */
    private void scales(BlockedWeights weights, CompiledKernel pack, Memory memory) {
        int lanes = panels.lanes();
        long blocks = panels.blocks();
        MemorySegment indices = columnsEvery(blocks, true);
        for (long panel = 0; panel < panels.panels(); panel++) {
            int vectors = panels.width(panel) / lanes;
            long first = panel * panels.columns();
            if (vectors > 0) {
                pack.call(
                        memory,
                        memory.pointer(weights.scales()) + Float.BYTES * first * blocks,
                        memory.pointer(packed) + panels.scale(0, first),
                        blocks,
                        Float.BYTES * blocks * lanes | panels.blockBytes(panel) << 32,
                        vectors,
                        memory.pointer(indices));
            }
        }
    }

    private int groups() {
        return panels.format().block() / panels.format().type().group();
    }

    private long rowBytes(long panel) {
        return (long) panels.vectorsOf(panel) * panels.lanes() * Integer.BYTES;
    }

    /**
     * Packs the zero points of a block for all columns of a panel, and the scales of some.
     *
     * @param scales the first column whose scale has not been packed yet
     */
    private void terms(BlockedWeights weights, long block, long panel, long scales) {
        long end = panel * panels.columns() + panels.width(panel);
        for (long column = scales; column < end; column++) {
            scale(panels.scale(block, column), weights.scale(column * panels.blocks() + block));
        }
        for (long column = panel * panels.columns(); panels.format().zeros() && column < end; column++) {
            packed.set(FLOAT, panels.zero(block, column), weights.zero(block, column, panels.blocks()));
        }
    }

    private void scale(long at, float scale) {
        if (panels.format().halfScales()) {
            packed.set(SHORT, at, Float.floatToFloat16(scale));
        } else {
            packed.set(FLOAT, at, scale);
        }
    }

    private void groups(BlockedWeights weights, long block, long column) {
        int middles = panels.format().type() == WeightType.INT4 ? 0x88888888 : 0x80808080;
        long index = (column * panels.blocks() + block) * groups();
        for (int group = 0; group < groups(); group++) {
            int word = weights.data().getAtIndex(INT, index + group);
            packed.set(INT, panels.group(block, group, column), word ^ middles);
        }
    }

    /**
     * Packs weights of 16 bits.
     *
     * @param rowStep elements from a row of B to the next
     * @param columnStep elements from a column of B to the next
     */
    void halves(MemorySegment b, long rowStep, long columnStep) {
        WeightType type = panels.format().type();
        int block = panels.format().block();
        for (long column = 0; column < panels.n(); column++) {
            for (long k = 0; k < panels.k(); k++) {
                int inBlock = (int) (k % block);
                long at = panels.group(k / block, inBlock / type.group(), column) + 2L * (inBlock % type.group());
                packed.set(SHORT, at, b.getAtIndex(SHORT, k * rowStep + column * columnStep));
            }
        }
    }
}
