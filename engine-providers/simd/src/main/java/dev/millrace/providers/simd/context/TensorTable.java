package dev.millrace.providers.simd.context;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.Set;

/** Tensors by number, each once, and where their elements are kept. */
final class TensorTable {
    private final IdentityHashMap<Tensor, Integer> numbers = new IdentityHashMap<>();
    private final ByteWriter entries = new ByteWriter();
    private final ByteArrayOutputStream small = new ByteArrayOutputStream();
    private final Set<Tensor> left;
    private final Bulk bulk;

    /** @param left tensors whose elements are not kept, by identity */
    TensorTable(Set<Tensor> left, Bulk bulk) {
        this.left = left;
        this.bulk = bulk;
    }

    int number(Tensor tensor) {
        Integer known = numbers.get(tensor);
        if (known == null) {
            known = numbers.size();
            numbers.put(tensor, known);
            add(tensor);
        }
        return known;
    }

    private void add(Tensor tensor) {
        entries.number(tensor.type().code());
        entries.number(tensor.shape().rank());
        for (long extent : tensor.shape().toArray()) {
            entries.number(extent);
        }
        if (tensor.type() == ElementType.STRING) {
            entries.number(PlanFormat.STRINGS);
            for (String text : tensor.strings()) {
                entries.bytes(text.getBytes(StandardCharsets.UTF_8));
            }
        } else if (left.contains(tensor)) {
            entries.number(PlanFormat.LEFT_OUT);
        } else if (tensor.segment().byteSize() <= PlanFormat.MOST_SMALL_BYTES) {
            entries.number(PlanFormat.SMALL);
            entries.number(small(tensor.segment()));
        } else {
            Bulk.Place place = bulk.place(tensor.segment());
            entries.number(PlanFormat.IN_SEGMENT);
            entries.number(place.segment());
            entries.number(place.offset());
        }
    }

    private long small(MemorySegment elements) {
        long offset = PlanFormat.align(small.size(), PlanFormat.SMALL_ALIGNMENT);
        small.writeBytes(new byte[(int) (offset - small.size())]);
        small.writeBytes(elements.toArray(ValueLayout.JAVA_BYTE));
        return offset;
    }

    void write(ByteWriter to) {
        to.bytes(small.toByteArray());
        to.number(numbers.size());
        to.append(entries);
    }
}
