package dev.millrace.providers.simd.weights;

import dev.millrace.codegen.code.BackgroundExecutor;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.memory.MappingGuard;
import dev.millrace.memory.Pages;
import dev.millrace.providers.spi.Originals;
import dev.millrace.providers.spi.PackedPlace;
import dev.millrace.providers.spi.PackedTensors;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Weights in the layouts that kernels read. The constants of graphs that were {@linkplain #own added} are packed once,
 * whichever session of the engine asks for them first. Tensors that are computed while a program is bound are packed
 * for that program. Safe for use by several threads; two that ask for the same weights at the same time wait for each
 * other.
 */
public final class Weights {
    private static final long ALIGNMENT = 64;
    /**
     * The least bytes of a mapped file whose pages are brought in before they are read; for fewer the operating system
     * does as well by itself.
     */
    private static final long WORTH_BRINGING = 64 << 10;

    private final ConcurrentHashMap<Key, PackedPlace> packed;
    /** The places in a mapped file that no binding has asked for yet. */
    private final Set<PackedPlace> untouched;

    private final Set<Tensor> constants;
    private final PackedTensors shared;
    private final LongFunction<MemorySegment> allocator;
    private final @Nullable Usage usage;
    private final BackgroundExecutor beside;
    /** The weights that one binding asked for and that are not packed yet. */
    private final List<Filling> unfinished = new ArrayList<>();

    /** @param shared finds weights that other sessions packed */
    public Weights(PackedTensors shared) {
        this(shared, bytes -> OwnMemory.allocate(Math.max(1, bytes), ALIGNMENT).asSlice(0, bytes));
    }

    /**
     * @param shared finds weights that other sessions packed
     * @param allocator of memory for weights
     */
    public Weights(PackedTensors shared, LongFunction<MemorySegment> allocator) {
        this(
                new ConcurrentHashMap<>(),
                ConcurrentHashMap.newKeySet(),
                ConcurrentHashMap.newKeySet(),
                shared,
                allocator,
                null,
                new BackgroundExecutor("millrace-packer"));
    }

    private Weights(
            ConcurrentHashMap<Key, PackedPlace> packed,
            Set<PackedPlace> untouched,
            Set<Tensor> constants,
            PackedTensors shared,
            LongFunction<MemorySegment> allocator,
            @Nullable Usage usage,
            BackgroundExecutor beside) {
        this.packed = packed;
        this.untouched = untouched;
        this.shared = shared;
        this.allocator = allocator;
        this.constants = constants;
        this.usage = usage;
        this.beside = beside;
    }

    /** The key of packed weights: tensors, which are compared by identity, and their layout. */
    private record Key(List<Tensor> sources, String layout, long bytes) {}

    /** Returns the same weights, which report to {@code observer} what is asked for. */
    public Weights observedBy(Usage observer) {
        return new Weights(packed, untouched, constants, shared, allocator, observer, beside);
    }

    /**
     * Returns the same weights for one binding, on one thread, which {@linkplain #finish finishes} the packing that it
     * asked for.
     */
    public Weights ofBinding() {
        return new Weights(packed, untouched, constants, shared, allocator, usage, beside);
    }

    /** Adds the constants of a graph, and of graphs nested in it, so that they are packed once. */
    public void own(Graph graph) {
        for (Value value : graph.constants()) {
            Tensor constant = value.constant();
            if (constant != null) {
                constants.add(constant);
            }
        }
        for (Node node : graph.nodes()) {
            node.attributes().graphs().forEach(this::own);
        }
    }

    /** Adds weights that were packed before. Their memory is used as it is. */
    public void put(PackedWeights weights) {
        constants.addAll(weights.sources());
        var key = new Key(weights.sources(), weights.layout(), weights.memory().byteSize());
        PackedPlace place = packed.computeIfAbsent(key, _ -> new PackedPlace(weights.sources()));
        place.set(weights.memory());
        if (weights.memory().isMapped() && weights.memory().byteSize() >= WORTH_BRINGING) {
            untouched.add(place);
        }
    }

    /** Whether weights are packed in a layout, or have a place where they are being packed. */
    public boolean has(List<Tensor> sources, Layout layout) {
        return packed.containsKey(new Key(sources, layout.name(), layout.bytes()));
    }

    /** Returns weights in a layout; {@code pack} fills memory of {@code bytes} where they are not packed yet. */
    public MemorySegment packed(Tensor source, String layout, long bytes, Consumer<MemorySegment> pack) {
        return packed(List.of(source), Layout.of(layout, bytes), pack);
    }

    /**
     * Returns memory for weights that are packed together in a layout. {@code pack} fills it where they are not packed
     * yet: some time before {@link #finish} returns, on any thread, from what {@link #plain} returns to it. For one
     * binding.
     */
    public MemorySegment packed(List<Tensor> sources, Layout layout, Consumer<MemorySegment> pack) {
        return packed(sources, layout, pack, false);
    }

    /**
     * Returns weights as {@link #packed} does, filled already: for weights that the binding itself reads, or packs once
     * more.
     */
    public MemorySegment filled(List<Tensor> sources, Layout layout, Consumer<MemorySegment> pack) {
        return packed(sources, layout, pack, true);
    }

    private MemorySegment packed(List<Tensor> sources, Layout layout, Consumer<MemorySegment> pack, boolean now) {
        Consumer<MemorySegment> packing = target -> pack(sources, layout, pack, target);
        if (!constants.containsAll(sources)) {
            MemorySegment own = allocator.apply(layout.bytes());
            packing.accept(own);
            return own;
        }
        PackedPlace place = packed.computeIfAbsent(new Key(sources, layout.name(), layout.bytes()), this::find);
        MemorySegment memory = place.place(layout.bytes(), allocator);
        if (now || usage != null) {
            place.fill(packing);
        } else if (!place.isFilled()) {
            var filling = new Filling(place, packing);
            unfinished.add(filling);
            beside.add(filling::start);
        } else if (untouched.remove(place)) {
            beside.add(() -> Pages.bringIn(memory));
        }
        if (usage != null) {
            usage.read(sources, layout, memory, packing);
        }
        return memory;
    }

    /**
     * Completes the packing of all weights that were asked for.
     *
     * @param check called between two tensors; may end it by throwing
     */
    public void finish(Runnable check) {
        var underWay = new ArrayList<Filling>();
        for (Filling filling : unfinished) {
            check.run();
            if (!filling.start()) {
                underWay.add(filling);
            }
        }
        for (Filling filling : underWay) {
            check.run();
            filling.place.fill(filling.packing);
        }
        unfinished.clear();
    }

    /** Weights that a binding waits for, whoever packs them. */
    private record Filling(PackedPlace place, Consumer<MemorySegment> packing) {
        /** Packs the weights; false where another thread is packing them. */
        boolean start() {
            return place.tryFill(packing);
        }
    }

    private PackedPlace find(Key key) {
        return shared.find(key.sources(), key.layout(), key.bytes());
    }

    private void pack(List<Tensor> sources, Layout layout, Consumer<MemorySegment> pack, MemorySegment target) {
        if (sources.stream().anyMatch(Tensor::isClosed)) {
            throw EngineException.invalidGraph("weights were kept neither as '" + layout.name()
                    + "', which is what this machine reads, nor as they were; compile the source model again");
        }
        if (usage == null) {
            pack.accept(target);
        } else {
            usage.beginPacking();
            try {
                pack.accept(target);
            } finally {
                usage.endPacking();
            }
        }
        // others may share what was packed, and have files that are whole
        if (sources.stream().anyMatch(source -> MappingGuard.isDamaged(source.segment()))) {
            throw EngineException.invalidGraph("the file of weights was cut short while they were packed");
        }
        sources.forEach(source -> Originals.release(source.segment()));
    }

    /** Returns the elements of a tensor in memory that kernels can read. */
    public MemorySegment plain(Tensor source) {
        MemorySegment standIn = usage == null ? null : usage.standIn(source);
        if (standIn != null) {
            return standIn;
        }
        MemorySegment memory = source.segment();
        if (usage != null) {
            usage.read(source);
        }
        if (memory.isNative()) {
            return memory;
        }
        if (!constants.contains(source)) {
            return allocator.apply(memory.byteSize()).copyFrom(memory);
        }
        var key = new Key(List.of(source), "plain", memory.byteSize());
        PackedPlace place = packed.computeIfAbsent(key, this::find);
        MemorySegment copy = place.place(memory.byteSize(), allocator);
        place.fill(target -> target.copyFrom(memory));
        return copy;
    }

    /** The bytes that are held beside the originals. */
    public long bytes() {
        return packed.values().stream().mapToLong(PackedPlace::bytes).sum();
    }
}
