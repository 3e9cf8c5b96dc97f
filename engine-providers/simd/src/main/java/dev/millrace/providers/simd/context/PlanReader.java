package dev.millrace.providers.simd.context;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.weights.PackedElement;
import dev.millrace.providers.simd.weights.PackedWeights;
import dev.millrace.providers.simd.weights.UnpackingMap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads plans, which may come from anywhere: no number in one leads outside of it, of its segments, or of what was read
 * before. It looks at the sizes of segments and never at what is in them.
 */
final class PlanReader {
    private static final int HIGHEST_RANK = 64;
    /** Up to whether sums are strict. */
    private static final int MOST_OF_HEAD = 16;

    private final String target;
    private final ByteReader from;
    private final List<MemorySegment> segments;
    private final List<String> texts = new ArrayList<>();
    private final List<Tensor> tensors = new ArrayList<>();
    private final Set<Tensor> left = Collections.newSetFromMap(new IdentityHashMap<>());

    private PlanReader(ByteReader plan, List<MemorySegment> segments, String target) {
        this.target = target;
        from = plan;
        this.segments = segments;
    }

    /**
     * The plan that these bytes are, its larger constants and packed weights in the segments' own memory.
     *
     * @param target the vectors of this machine; of a plan for others, constants that were left out are put back
     */
    static StoredPlan read(MemorySegment plan, List<MemorySegment> segments, String target) {
        return refusing(() -> new PlanReader(new ByteReader(plan), segments, target).read());
    }

    /** Whether sums are strict, of a plan that this reader can read. */
    static boolean isStrict(MemorySegment plan) {
        MemorySegment head = plan.asSlice(0, Math.min(plan.byteSize(), MOST_OF_HEAD));
        return refusing(() -> new PlanReader(new ByteReader(head), List.of(), "").head());
    }

    private static <T> T refusing(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (ArithmeticException e) {
            throw ByteReader.damaged("a size in it exceeds 64 bits");
        } catch (EngineException e) {
            // shapes and types name what is wrong with them, but as the caller's mistake
            throw EngineException.invalidGraph(String.valueOf(e.getMessage()));
        }
    }

    /** Reads what stands first, up to whether sums are strict. */
    private boolean head() {
        if (from.fixed() != PlanFormat.MARK) {
            throw EngineException.invalidGraph("this is no compiled plan of the provider 'simd'");
        }
        int version = from.fixed();
        if (version != PlanFormat.VERSION) {
            throw EngineException.invalidGraph("the compiled plan is of version " + version + ", but version "
                    + PlanFormat.VERSION + " is what can be read; compile the model again");
        }
        return from.below(2, "strictness") == 1;
    }

    private StoredPlan read() {
        boolean strict = head();
        for (int i = from.count("texts"); i > 0; i--) {
            texts.add(from.text());
        }
        readTensors();
        var packed = new ArrayList<PackedWeights>();
        for (int i = from.count("packed weights"); i > 0; i--) {
            packed.add(packed());
        }
        ByteReader back = from.part("bytes of ways back");
        if (!back.isEmpty()) {
            putBack(back, packed);
        }
        Map<String, String> choices = choices();
        Graph graph = new PlanGraphReader(new PlanSource(from, texts, tensors)).read();
        from.finish();
        return new StoredPlan(graph, strict, choices, packed, left);
    }

    private void readTensors() {
        MemorySegment kept = from.bytes("bytes of small constants");
        MemorySegment small = OwnMemory.allocate(Math.max(1, kept.byteSize()), PlanFormat.ALIGNMENT)
                .asSlice(0, kept.byteSize())
                .copyFrom(kept);
        for (int i = from.count("tensors"); i > 0; i--) {
            ElementType type = ElementType.requireCode(from.number());
            Shape shape = shape();
            int place = from.below(PlanFormat.STRINGS + 1, "place of a tensor");
            if ((place == PlanFormat.STRINGS) != (type == ElementType.STRING)) {
                throw ByteReader.damaged("a tensor of type " + type + " is kept as another one");
            }
            tensors.add(
                    switch (place) {
                        case PlanFormat.LEFT_OUT -> leftOut(type, shape);
                        case PlanFormat.SMALL ->
                            Tensor.wrap(
                                    type,
                                    shape,
                                    slice(small, type.bytes(shape.elements()), PlanFormat.SMALL_ALIGNMENT));
                        case PlanFormat.IN_SEGMENT ->
                            Tensor.wrap(
                                    type, shape, slice(segment(), type.bytes(shape.elements()), PlanFormat.ALIGNMENT));
                        default -> strings(shape);
                    });
        }
    }

    private Shape shape() {
        long[] dims = new long[from.below(HIGHEST_RANK + 1, "rank")];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = from.number();
        }
        return Shape.of(dims);
    }

    private Tensor leftOut(ElementType type, Shape shape) {
        Tensor tensor = Tensor.absent(type, shape);
        left.add(tensor);
        return tensor;
    }

    private Tensor strings(Shape shape) {
        var strings = new ArrayList<String>();
        for (long i = 0; i < shape.elements(); i++) {
            strings.add(from.text());
        }
        return Tensor.ofStrings(shape, strings.toArray(new String[0]));
    }

    /** Puts constants back that were left out, where they have to be packed for other vectors. */
    private void putBack(ByteReader ways, List<PackedWeights> packed) {
        if (texts.get(ways.below(texts.size(), "text")).equals(target)) {
            return;
        }
        for (int i = ways.count("ways back"); i > 0; i--) {
            int number = ways.below(tensors.size(), "tensor");
            Tensor absent = tensors.get(number);
            PackedWeights weights = packed.get(ways.below(packed.size(), "packed weight"));
            if (!left.contains(absent) || !weights.sources().contains(absent)) {
                throw ByteReader.damaged("a way leads back to a constant that was not left out");
            }
            var unit = new PackedElement(ways.below(Integer.BYTES + 1, "size of a unit"), ways.fixed());
            int cut = ways.below(absent.shape().rank(), "axis");
            var pieces = new ArrayList<UnpackingMap.Piece>();
            for (int piece = ways.count("pieces"); piece > 0; piece--) {
                pieces.add(piece(ways, absent.shape().rank()));
            }
            var way = new UnpackingMap(absent, weights, unit, cut, pieces);
            Tensor constant = Tensor.allocate(absent.type(), absent.shape());
            way.putBack(constant.segment());
            tensors.set(number, constant);
        }
        ways.finish();
    }

    private static UnpackingMap.Piece piece(ByteReader ways, int rank) {
        long count = ways.number();
        long base = ways.number();
        var axes = new ArrayList<UnpackingMap.Axis>();
        for (int i = 0; i < rank; i++) {
            axes.add(new UnpackingMap.Axis(ways.number(), ways.number(), ways.number()));
        }
        return new UnpackingMap.Piece(count, base, axes);
    }

    private Map<String, String> choices() {
        var choices = new HashMap<String, String>();
        for (int i = from.count("choices"); i > 0; i--) {
            String work = texts.get(from.below(texts.size(), "text"));
            choices.put(work, texts.get(from.below(texts.size(), "text")));
        }
        return choices;
    }

    private MemorySegment segment() {
        return segments.get(from.below(segments.size(), "segment"));
    }

    /** So many bytes of a segment, from the offset on that is read next. */
    private MemorySegment slice(MemorySegment whole, long bytes, long alignment) {
        long offset = from.number();
        if (bytes < 0 || offset > whole.byteSize() - bytes || offset % alignment != 0) {
            throw ByteReader.damaged("there are no " + bytes + " bytes at " + offset + " of " + whole.byteSize());
        }
        return whole.asSlice(offset, bytes);
    }

    private PackedWeights packed() {
        var sources = new ArrayList<Tensor>();
        for (int i = from.count("sources"); i > 0; i--) {
            sources.add(tensors.get(from.below(tensors.size(), "tensor")));
        }
        String layout = texts.get(from.below(texts.size(), "text"));
        MemorySegment segment = segment();
        long offset = from.number();
        long bytes = from.number();
        if (offset > segment.byteSize() || bytes > segment.byteSize() - offset || offset % PlanFormat.ALIGNMENT != 0) {
            throw ByteReader.damaged("there are no " + bytes + " bytes at " + offset + " of " + segment.byteSize());
        }
        return new PackedWeights(sources, layout, segment.asSlice(offset, bytes));
    }
}
