package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.memory.Blocks;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The large constants that an optimisation has made. Weights are often made several times, folded, scaled and scaled
 * again. Those that the graph no longer holds release their memory at once, since a heap with little garbage is
 * collected late.
 */
public final class MadeConstants {
    private static final long LEAST_BYTES = 128 << 10;

    private final ConstantEvaluator evaluator;
    private final Set<Tensor> made = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Tensor> evaluated = Collections.newSetFromMap(new IdentityHashMap<>());

    /** @param evaluator the evaluator whose results are passed to {@link #evaluated} */
    public MadeConstants(ConstantEvaluator evaluator) {
        this.evaluator = evaluator;
    }

    /** Records a tensor whose memory a pass has just allocated. */
    void allocated(Tensor tensor) {
        if (isLarge(tensor)) {
            made.add(tensor);
        }
    }

    void evaluated(Tensor tensor) {
        if (isLarge(tensor)) {
            evaluated.add(tensor);
        }
    }

    private static boolean isLarge(Tensor tensor) {
        return tensor.type() != ElementType.STRING && tensor.type().bytes(tensor.elements()) >= LEAST_BYTES;
    }

    /**
     * Closes the recorded constants that none of {@code graphs}, which are all graphs of the model, holds, and frees
     * their pages.
     */
    public void keepThoseOf(Collection<Graph> graphs) {
        if (made.isEmpty() && evaluated.isEmpty()) {
            return;
        }
        Set<Tensor> present = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Graph graph : graphs) {
            for (Value value : graph.constants()) {
                Tensor constant = value.constant();
                if (constant != null && constant.type() != ElementType.STRING) {
                    present.add(constant);
                }
            }
        }
        var places = Places.of(present);
        for (Tensor tensor : absent(evaluated, present, places)) {
            if (evaluator.takeBack(tensor)) {
                empty(tensor);
            }
        }
        absent(made, present, places).forEach(MadeConstants::empty);
    }

    /** Removes and returns the tensors that are neither present nor share memory with a present one. */
    private static List<Tensor> absent(Set<Tensor> some, Set<Tensor> present, Places places) {
        var absent = new ArrayList<Tensor>();
        for (Tensor tensor : some) {
            if (!present.contains(tensor) && !places.meet(tensor.segment())) {
                absent.add(tensor);
            }
        }
        absent.forEach(some::remove);
        return absent;
    }

    /**
     * The address ranges of tensors.
     *
     * @param starts the start addresses in ascending order
     * @param ends for each range the largest end address of it and all before it
     */
    private record Places(long[] starts, long[] ends) {
        static Places of(Collection<Tensor> tensors) {
            var memories = new ArrayList<MemorySegment>();
            for (Tensor tensor : tensors) {
                if (tensor.segment().isNative()) {
                    memories.add(tensor.segment());
                }
            }
            memories.sort((one, other) -> Long.compare(one.address(), other.address()));
            var places = new Places(new long[memories.size()], new long[memories.size()]);
            long end = 0;
            for (int i = 0; i < memories.size(); i++) {
                MemorySegment memory = memories.get(i);
                end = Math.max(end, memory.address() + memory.byteSize());
                places.starts[i] = memory.address();
                places.ends[i] = end;
            }
            return places;
        }

        /** Whether any range overlaps this memory. */
        boolean meet(MemorySegment memory) {
            long start = memory.address();
            int behind = firstFrom(start + memory.byteSize());
            return behind > 0 && ends[behind - 1] > start;
        }

        /** Returns the index of the first range that starts at an address or after it. */
        private int firstFrom(long address) {
            int low = 0;
            int high = starts.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (starts[middle] < address) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }

    private static void empty(Tensor tensor) {
        MemorySegment memory = tensor.segment();
        tensor.close();
        Blocks.empty(memory);
    }
}
