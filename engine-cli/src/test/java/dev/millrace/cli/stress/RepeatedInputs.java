package dev.millrace.cli.stress;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Large inputs of known shapes, made in no time: some numbers, again and again. */
final class RepeatedInputs {
    private static final int BLOCK = 1 << 16;

    private RepeatedInputs() {}

    static Inputs of(List<ValueInfo> declared) {
        var inputs = Inputs.empty();
        for (ValueInfo info : declared) {
            var type = (ValueType.TensorType) Objects.requireNonNull(info.type());
            long[] dims = Objects.requireNonNull(type.shape()).dims().stream()
                    .mapToLong(dim -> ((Dim.Known) dim).extent())
                    .toArray();
            inputs.and(info.name(), tensor(Objects.requireNonNull(type.element()), Shape.of(dims)));
        }
        return inputs;
    }

    private static Tensor tensor(ElementType type, Shape shape) {
        Tensor tensor = Tensor.allocate(type, shape);
        var random = new Random(3);
        if (type == ElementType.STRING) {
            String[] words = random.ints(1000, 0, 1000).mapToObj(i -> "s" + i).toArray(String[]::new);
            Arrays.setAll(tensor.strings(), i -> words[i % words.length]);
            return tensor;
        }
        MemorySegment all = tensor.segment();
        int block = (int) Math.min(BLOCK, tensor.elements());
        for (int i = 0; i < block; i++) {
            if (type.isFloating()) {
                Elements.setDouble(type, all, i, random.nextDouble() * 2 - 1);
            } else {
                Elements.setLong(type, all, i, tensor.elements() == 1 ? 1 : random.nextInt(most(type)));
            }
        }
        MemorySegment first = all.asSlice(0, type.bytes(block));
        for (long at = first.byteSize(); at < all.byteSize(); at += first.byteSize()) {
            long bytes = Math.min(first.byteSize(), all.byteSize() - at);
            MemorySegment.copy(first, 0, all, at, bytes);
        }
        return tensor;
    }

    private static int most(ElementType type) {
        return type.bits() == 64 ? 1 << 22 : type == ElementType.INT32 ? 10 : 100;
    }
}
