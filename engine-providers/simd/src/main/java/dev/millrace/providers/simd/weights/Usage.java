package dev.millrace.providers.simd.weights;

import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a program that is bound reads of constants: in which layouts, and which as they are. Not for several threads. */
public final class Usage {
    private static final long ALIGNMENT = 64;

    private final Map<List<Object>, Packing> packed = new LinkedHashMap<>();
    /** What stands for constants while it is found out where their elements go. */
    private final IdentityHashMap<Tensor, MemorySegment> standIns = new IdentityHashMap<>();

    private final Set<Tensor> plain = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Tensor> forTheseShapes = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Tensor> sources = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Ways back by layout, shape and place among what is packed together: other constants have theirs alike. */
    private final Map<List<Object>, WayBack> ways = new HashMap<>();

    private int packing;

    private record Packing(PackedWeights weights, Consumer<MemorySegment> again) {}

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

    /** @param again packs into other memory, what {@link #standIn} gives in place of the tensors */
    void read(List<Tensor> tensors, Layout layout, MemorySegment memory, Consumer<MemorySegment> again) {
        packed.putIfAbsent(
                List.of(tensors, layout), new Packing(new PackedWeights(tensors, layout.name(), memory), again));
        sources.addAll(tensors);
        if (!layout.forAllShapes()) {
            forTheseShapes.addAll(tensors);
        }
    }

    public List<PackedWeights> packed() {
        return packed.values().stream().map(Packing::weights).toList();
    }

    /** Whether a constant was read packed only. */
    public boolean isOnlyPacked(Tensor tensor) {
        return sources.contains(tensor) && !plain.contains(tensor);
    }

    /** Whether a layout that a constant was read in may be another one for other shapes. */
    public boolean dependsOnShapes(Tensor tensor) {
        return forTheseShapes.contains(tensor);
    }

    /** What is to be packed in place of a constant, or null for the constant itself. */
    @Nullable
    MemorySegment standIn(Tensor tensor) {
        return standIns.get(tensor);
    }

    /** How a constant that was read packed only is put back together, if that can be done. */
    public @Nullable WayBack wayBack(Tensor constant) {
        if (!WayBack.isPossible(constant)) {
            return null;
        }
        for (Packing each : packed.values()) {
            int place = each.weights.sources().indexOf(constant);
            if (place >= 0) {
                List<Object> key = List.of(each.weights.layout(), constant.shape(), place);
                WayBack known = ways.get(key);
                WayBack alike = known == null ? null : known.of(constant, each.weights);
                WayBack way = alike == null ? wayBack(constant, each) : alike;
                if (way != null) {
                    ways.put(key, way);
                    return way;
                }
            }
        }
        return null;
    }

    /** Packs numbers in place of the constant's elements, and zeros in place of what is packed with it. */
    private @Nullable WayBack wayBack(Tensor constant, Packing packing) {
        // as large as the constant is, and needed no longer than this
        try (Arena arena = Arena.ofShared()) {
            for (Tensor source : packing.weights.sources()) {
                standIns.put(source, arena.allocate(source.segment().byteSize(), ALIGNMENT));
            }
            MemorySegment elements = Objects.requireNonNull(standIns.get(constant));
            WayBack.number(elements);
            MemorySegment numbers = arena.allocate(packing.weights.memory().byteSize(), ALIGNMENT);
            packing.again.accept(numbers);
            return WayBack.of(constant, packing.weights, numbers, elements);
        } finally {
            standIns.clear();
        }
    }
}
