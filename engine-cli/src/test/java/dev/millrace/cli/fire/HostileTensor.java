package dev.millrace.cli.fire;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** Tensors that are made to cause trouble: by their contents, by their shape, by their memory. */
final class HostileTensor {
    private static final String[] TEXTS = {"", "\uD800", "\u0000", "a\uFFFF", "1e999", "0x", "-", "s1s1s1"};

    private HostileTensor() {}

    static Tensor of(ElementType type, Shape shape, Random random) {
        Tensor tensor = Tensor.allocate(type, shape);
        fill(tensor, random);
        return tensor;
    }

    static void fill(Tensor tensor, Random random) {
        ElementType type = tensor.type();
        if (type == ElementType.STRING) {
            for (int i = 0; i < tensor.elements(); i++) {
                tensor.strings()[i] = TEXTS[random.nextInt(TEXTS.length)];
            }
            return;
        }
        boolean complex = type.kind() == ElementType.Kind.COMPLEX;
        for (long i = 0; i < tensor.elements() * (complex ? 2 : 1); i++) {
            if (type.isFloating() || complex) {
                Elements.setDouble(type, tensor.segment(), i, Extremes.real(random));
            } else {
                Elements.setLong(
                        type,
                        tensor.segment(),
                        i,
                        type == ElementType.BOOL ? random.nextInt(2) : Extremes.number(random));
            }
        }
    }

    /**
     * Returns a copy of the tensor in memory that is closed, confined to another thread, a Java
     * array, read-only, or misaligned.
     */
    static Tensor elsewhere(Tensor tensor, Random random) {
        if (tensor.type() == ElementType.STRING) {
            return tensor;
        }
        long bytes = Math.max(1, tensor.segment().byteSize());
        MemorySegment memory = switch (random.nextInt(6)) {
            case 0 -> {
                try (Arena closed = Arena.ofShared()) {
                    yield closed.allocate(bytes);
                }
            }
            case 1 -> copied(tensor, Arena.ofConfined().allocate(bytes));
            case 2 -> copied(tensor, MemorySegment.ofArray(new byte[(int) bytes]));
            case 3 -> copied(tensor, MemorySegment.ofArray(new long[(int) bytes / 8 + 1]));
            case 4 -> copied(tensor, Arena.ofAuto().allocate(bytes)).asReadOnly();
            default -> copied(tensor, Arena.ofAuto().allocate(bytes + 1).asSlice(1));
        };
        return Tensor.wrap(tensor.type(), tensor.shape(), memory);
    }

    private static MemorySegment copied(Tensor tensor, MemorySegment to) {
        MemorySegment from = tensor.segment();
        MemorySegment.copy(from, 0, to, 0, Math.min(from.byteSize(), to.byteSize()));
        return to;
    }

    static Shape shape(Random random) {
        long[] dims = new long[random.nextInt(5)];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(4);
        }
        return Shape.of(dims);
    }
}
