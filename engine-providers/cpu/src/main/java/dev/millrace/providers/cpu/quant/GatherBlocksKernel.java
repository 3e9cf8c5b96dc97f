package dev.millrace.providers.cpu.quant;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;

/** GatherBlockQuantized: rows of a table whose blocks have scales, looked up and made real. */
record GatherBlocksKernel(Node node) implements ShapedKernel {
    private static final int INDICES = 1;
    private static final int SCALES = 2;
    private static final int ZEROS = 3;

    /** Small numbers, several in a byte where that is their type or they are fewer bits of one. */
    private record Numbers(ElementType type, int bits) {
        int perByte() {
            return 8 / bits;
        }

        long at(MemorySegment data, long index) {
            if (bits == 8 || type.isPacked()) {
                return Elements.getLong(type, data, index);
            }
            long bytes = Elements.getLong(type, data, index / perByte());
            return (bytes >> (index % perByte() * bits)) & ((1 << bits) - 1);
        }
    }

    @Override
    public Launch bind(BindContext context) {
        Attributes attributes = node.attributes();
        ElementType type = context.inputType(0);
        boolean inBytes = type == ElementType.UINT8;
        var numbers = new Numbers(type, inBytes ? (int) attributes.integer("bits", 4) : type.bits());
        Shape table = unpacked(context.inputShape(0), inBytes ? numbers.perByte() : 1);
        Shape scales = context.inputShape(SCALES);
        int axis = Shape.axis(attributes.integer("gather_axis", 0), table.rank());
        var granularity = QuantisationAxes.of(
                table, scales, attributes.integer("quantize_axis", 1), attributes.integer("block_size", 128));
        long extent = table.dim(axis);
        long inner = table.elements(axis + 1, table.rank());
        long count = context.inputShape(INDICES).elements();
        long outer = table.elements(0, axis);
        ElementType real = context.inputType(SCALES);
        ElementType index = context.inputType(INDICES);
        boolean zeros = context.hasInput(ZEROS);
        long usual = inBytes ? 1L << (numbers.bits() - 1) : 0;
        long columns = scales.dimAt(-1);
        long rowOfZeros = zeros ? context.inputShape(ZEROS).dimAt(-1) * (inBytes ? numbers.perByte() : 1) : 0;
        RangeTask task = (launch, from, to, scratch) -> {
            for (long row = from; row < to; row++) {
                long at = (row / count * extent + place(launch, index, row % count, extent)) * inner;
                for (long i = 0; i < inner; i++) {
                    long group = granularity.scale(at + i);
                    long padded = group / columns * rowOfZeros + group % columns;
                    long zero = zeros ? numbers.at(launch.input(ZEROS), padded) : usual;
                    double scale = Elements.getDouble(real, launch.input(SCALES), group);
                    double value = (numbers.at(launch.input(0), at + i) - zero) * scale;
                    Elements.setDouble(real, launch.output(0), row * inner + i, value);
                }
            }
        };
        return launch -> launch.parallelFor(outer * count, Math.max(1, 4096 / Math.max(1, inner)), task);
    }

    private static Shape unpacked(Shape shape, int perByte) {
        long[] dims = shape.toArray();
        dims[dims.length - 1] *= perByte;
        return Shape.of(dims);
    }

    private long place(LaunchContext launch, ElementType type, long at, long extent) {
        long count = Elements.getLong(type, launch.input(INDICES), at);
        long place = count < 0 ? count + extent : count;
        if (place < 0 || place >= extent) {
            throw EngineException.invalidArgument(
                    node.describe() + ": index " + count + " is outside a table of " + extent + " rows");
        }
        return place;
    }
}
