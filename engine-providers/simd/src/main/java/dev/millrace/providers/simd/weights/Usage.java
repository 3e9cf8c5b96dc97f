package dev.millrace.providers.simd.weights;

import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A record of the constants that a program reads while it is bound: the packed ones by layout, and those read unpacked.
 * Not safe for use by several threads.
 */
public final class Usage {
    static final long ALIGNMENT = 64;

    private final Map<List<Object>, Packing> packed = new LinkedHashMap<>();
    /** The memory that is packed in place of constants, while the places of their units are looked up. */
    private final IdentityHashMap<Tensor, MemorySegment> standIns = new IdentityHashMap<>();

    private final Set<Tensor> plain = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Tensor> forTheseShapes = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Tensor> sources = Collections.newSetFromMap(new IdentityHashMap<>());
    /**
     * Unpacking maps by layout, type, shape and position among the tensors packed together. Constants that are equal in
     * these share a map, or have none.
     */
    private final Map<List<Object>, Optional<UnpackingMap>> ways = new HashMap<>();

    private int packing;

    private record Packing(PackedWeights weights, Consumer<MemorySegment> again) {}

    void read(Tensor tensor) {
        if (packing == 0) {
            plain.add(tensor);
        }
    }

    /** Begins packing: constants that are read from now on are packed, and not read by a program. */
    void beginPacking() {
        packing++;
    }

    void endPacking() {
        packing--;
    }

    /** @param again packs into other memory, from what {@link #standIn} returns in place of the tensors */
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

    /** Whether a constant was read only packed. */
    public boolean isOnlyPacked(Tensor tensor) {
        return sources.contains(tensor) && !plain.contains(tensor);
    }

    /** Whether a layout that a constant was read in may differ for other shapes. */
    public boolean dependsOnShapes(Tensor tensor) {
        return forTheseShapes.contains(tensor);
    }

    /** The memory that is packed in place of a constant, or null for the constant itself. */
    @Nullable
    MemorySegment standIn(Tensor tensor) {
        return standIns.get(tensor);
    }

    /** Returns the unpacking map of a constant that was read only packed, if there is one. */
    public @Nullable UnpackingMap unpackingMap(Tensor constant) {
        for (Packing each : packed.values()) {
            int place = each.weights.sources().indexOf(constant);
            if (place >= 0) {
                UnpackingMap way = unpackingMap(constant, each, place);
                if (way != null) {
                    return way;
                }
            }
        }
        return null;
    }

    private @Nullable UnpackingMap unpackingMap(Tensor constant, Packing packing, int place) {
        List<Object> key = List.of(packing.weights.layout(), constant.type(), constant.shape(), place);
        Optional<UnpackingMap> known = ways.get(key);
        if (known != null) {
            return known.map(way -> way.of(constant, packing.weights)).orElse(null);
        }
        UnpackingMap way = find(constant, packing);
        ways.put(key, Optional.ofNullable(way));
        return way;
    }

    private @Nullable UnpackingMap find(Tensor constant, Packing packing) {
        Map<Integer, List<PackedElement>> bySize = new LinkedHashMap<>();
        for (PackedElement unit : PackedElement.of(constant)) {
            bySize.computeIfAbsent(unit.bytes(), _ -> new ArrayList<>()).add(unit);
        }
        for (List<PackedElement> alike : bySize.values()) {
            UnpackingMap way = find(constant, packing, alike);
            if (way != null) {
                return way;
            }
        }
        return null;
    }

    /**
     * Finds the unpacking map of a constant: packs numbers in place of its units, and zeros in place of the tensors
     * that are packed with it.
     *
     * @param units of one size
     */
    private @Nullable UnpackingMap find(Tensor constant, Packing packing, List<PackedElement> units) {
        long bytes = constant.segment().byteSize();
        long count = bytes / units.getFirst().bytes();
        if (units.getFirst().dims(constant) == null || count > PermutationProbe.MOST) {
            return null;
        }
        // several times as large as the constant is, and needed no longer than this
        try (Arena arena = Arena.ofShared()) {
            for (Tensor source : packing.weights.sources()) {
                standIns.put(source, arena.allocate(source.segment().byteSize(), ALIGNMENT));
            }
            var numbering = new PermutationProbe((int) count, units.getFirst());
            List<MemorySegment> packed = numbering.packed(
                    Objects.requireNonNull(standIns.get(constant)),
                    packing.weights.memory().byteSize(),
                    packing.again,
                    arena);
            for (PackedElement unit : units) {
                UnpackingMap way =
                        UnpackingMap.of(constant, packing.weights, unit, numbering.places(packed, unit, arena));
                if (way != null) {
                    return way;
                }
            }
            return null;
        } finally {
            standIns.clear();
        }
    }
}
