package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.gather.IndexList;
import dev.millrace.kernels.gather.RowGather;
import dev.millrace.kernels.gather.RowNumbers;
import dev.millrace.kernels.quantise.Quantisation;
import dev.millrace.kernels.quantise.QuantisedType;
import dev.millrace.kernels.quantise.Scales;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.Call;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Float16Conversion;
import dev.millrace.providers.simd.rule.common.Indices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rule of GatherBlockQuantized of {@code com.microsoft}: rows of a table, such as the embeddings of tokens, whose
 * blocks of elements have scales. Only the rows that indices choose are read.
 */
public final class GatherBlocksRule {
    private static final int INDICES = 1;
    private static final int SCALES = 2;
    private static final int ZEROS = 3;
    private static final long ALIGNMENT = 64;

    private GatherBlocksRule() {}

    public static @Nullable Rule named(String name) {
        return name.equals("GatherBlockQuantized") ? GatherBlocksRule::lower : null;
    }

    private static boolean lower(LoweringContext op) {
        Table table = Table.of(op);
        Indices indices = table == null ? null : Indices.of(op, INDICES);
        if (table == null || indices == null || table.rowBytes() > Indices.MOST_ROW_BYTES) {
            return false;
        }
        ValueState out = Float16Conversion.wide(op, op.out());
        View data = op.lowering().dense(op.in(0));
        View scales = op.lowering().dense(op.in(SCALES));
        View zeros = op.has(ZEROS) ? op.lowering().dense(op.in(ZEROS)) : null;
        var step = new Step(
                table,
                indices,
                data,
                scales,
                zeros,
                op.lowering().allocate(out),
                Indices.numbers(op.environment()),
                Indices.rows(op.environment()),
                QuantiseRules.quantisation(op.environment()));
        op.lowering().add(step.of(op.node().name()));
        Float16Conversion.finish(op, op.out(), out);
        return true;
    }

    /**
     * A table of rows of blocks.
     *
     * @param usualZero the zero point where none are given
     * @param zeroColumns the zero points for which a row has room
     */
    private record Table(long rows, long width, long block, QuantisedType type, long usualZero, long zeroColumns) {
        /** Returns the table of a node; null where its rows are not whole blocks, or are not gathered. */
        static @Nullable Table of(LoweringContext op) {
            Shape shape = op.in(0).shape();
            QuantisedType type = type(op);
            long block = op.attributes().integer("block_size", 128);
            if (type == null
                    || shape.rank() != 2
                    || shape.dim(0) > Integer.MAX_VALUE
                    || Shape.axis(op.attributes().integer("gather_axis", 0), 2) != 0
                    || block < 2
                    || block % 2 != 0
                    || !Float16Conversion.areFloats(op.in(SCALES).type())) {
                return null;
            }
            boolean inBytes = op.in(0).type() == ElementType.UINT8;
            long perByte = inBytes ? Byte.SIZE / type.bits() : 1;
            long width = shape.dim(1) * perByte;
            long columns = op.has(ZEROS) ? op.in(ZEROS).shape().dimAt(-1) * perByte : 0;
            long zero = inBytes ? 1L << type.bits() - 1 : 0;
            return width % block == 0 ? new Table(shape.dim(0), width, block, type, zero, columns) : null;
        }

        private static @Nullable QuantisedType type(LoweringContext op) {
            return switch (op.in(0).type()) {
                case INT4 -> QuantisedType.S4;
                case UINT4 -> QuantisedType.U4;
                case UINT8 ->
                    switch ((int) op.attributes().integer("bits", 4)) {
                        case 4 -> QuantisedType.U4;
                        case 8 -> QuantisedType.U8;
                        default -> null;
                    };
                default -> null;
            };
        }

        long rowBytes() {
            return type.bytes(width);
        }

        long blocks() {
            return width / block;
        }

        ElementType elements() {
            return switch (type) {
                case S4 -> ElementType.INT4;
                case U4 -> ElementType.UINT4;
                default -> ElementType.UINT8;
            };
        }
    }

    private record Step(
            Table table,
            Indices indices,
            View data,
            View scales,
            @Nullable View zeros,
            View out,
            RowNumbers numbers,
            RowGather rows,
            Quantisation quantisation) {

        private long packedAt() {
            return up(RowNumbers.tableBytes(indices.count()));
        }

        private long scalesAt() {
            return packedAt() + up(indices.count() * table.rowBytes());
        }

        private long zerosAt() {
            return scalesAt() + up(groups() * Float.BYTES);
        }

        private long groups() {
            return indices.count() * table.blocks();
        }

        private static long up(long bytes) {
            return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }

        ProgramStep of(String node) {
            var reads = new ArrayList<>(List.of(data, indices.view(), scales));
            if (zeros != null) {
                reads.add(zeros);
            }
            return ProgramStep.of(() -> "gather rows of " + table.width() + " " + table.type(), node)
                    .reading(reads)
                    .writing(out)
                    .scratch(zerosAt() + up(groups() * Integer.BYTES))
                    .calling(this::call);
        }

        private Call call(RunMemory memory) {
            MemorySegment scratch = memory.scratch();
            MemorySegment chosen = scratch.asSlice(0, packedAt());
            MemorySegment packed = scratch.asSlice(packedAt(), scalesAt() - packedAt());
            MemorySegment ofBlocks = scratch.asSlice(scalesAt(), zerosAt() - scalesAt());
            MemorySegment points = scratch.asSlice(zerosAt(), up(groups() * Integer.BYTES));
            var scaling = new Scales(1, groups(), table.block(), ofBlocks, points);
            MemorySegment from = memory.segment(data);
            MemorySegment to = memory.segment(out);
            IndexList list = indices.in(memory);
            long[] dims = {table.rows()};
            return crew -> {
                indices.check(() -> numbers.ofTuples(list, dims, chosen));
                rows.gather(chosen, indices.count(), from, 1, table.rows(), table.rowBytes(), packed, crew);
                writeScaling(memory, chosen, ofBlocks, points);
                quantisation.dequantise(packed, table.type(), scaling, to, crew);
            };
        }

        /** Writes the scales and zero points of the blocks of the chosen rows. */
        private void writeScaling(
                RunMemory memory, MemorySegment chosen, MemorySegment ofBlocks, MemorySegment points) {
            MemorySegment allScales = memory.segment(scales);
            MemorySegment allZeros = zeros == null ? null : memory.segment(zeros);
            long blocks = table.blocks();
            for (long i = 0; i < indices.count(); i++) {
                long row = chosen.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i);
                for (long block = 0; block < blocks; block++) {
                    float scale = (float) Elements.getDouble(scales.type(), allScales, row * blocks + block);
                    long zero = allZeros == null
                            ? table.usualZero()
                            : Elements.getLong(table.elements(), allZeros, row * table.zeroColumns() + block);
                    ofBlocks.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i * blocks + block, scale);
                    points.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i * blocks + block, (int) zero);
                }
            }
        }
    }
}
