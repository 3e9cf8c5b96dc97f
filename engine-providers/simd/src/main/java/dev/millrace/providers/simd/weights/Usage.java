package dev.millrace.providers.simd.weights;

import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a program that is bound reads of constants: in which layouts, and which as they are. Not for several threads. */
public final class Usage {
    private final Map<List<Object>, PackedWeights> packed = new LinkedHashMap<>();
    private final Set<Tensor> plain = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Tensor> forTheseShapes = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Tensor> sources = Collections.newSetFromMap(new IdentityHashMap<>());
    private int packing;

    void read(Tensor tensor) {
        if (packing == 0) {
            plain.add(tensor);
        }
    }

    /** What is read from now on is packed, and read by no program. */
    void beginPacking() {
        packing++;
    }

    void endPacking() {
        packing--;
    }

    void read(List<Tensor> tensors, Layout layout, MemorySegment memory) {
        packed.putIfAbsent(List.of(tensors, layout), new PackedWeights(tensors, layout.name(), memory));
        sources.addAll(tensors);
        if (!layout.forAllShapes()) {
            forTheseShapes.addAll(tensors);
        }
    }

    public List<PackedWeights> packed() {
        return new ArrayList<>(packed.values());
    }

    /** Whether a constant was read packed only. */
    public boolean isOnlyPacked(Tensor tensor) {
        return sources.contains(tensor) && !plain.contains(tensor);
    }

    /** Whether a layout that a constant was read in may be another one for other shapes. */
    public boolean dependsOnShapes(Tensor tensor) {
        return forTheseShapes.contains(tensor);
    }
}
