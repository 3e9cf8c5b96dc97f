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
 * Large constants that an optimisation has made. Weights are often made several times, folded, scaled and scaled again:
 * what the graph no longer has gives back its memory at once, since a heap with little garbage is collected late.
 */
public final class MadeConstants {
    private static final long LEAST_BYTES = 128 << 10;

    private final ConstantEvaluator evaluator;
    private final Set<Tensor> made = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Tensor> evaluated = Collections.newSetFromMap(new IdentityHashMap<>());

    /** @param evaluator gave what {@link #evaluated} is told of */
    public MadeConstants(ConstantEvaluator evaluator) {
        this.evaluator = evaluator;
    }

    /** A tensor whose memory a pass has just allocated. */
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

    /** Empties and closes what was made and stands in none of these graphs, which are all that there are. */
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
        for (Tensor tensor : absent(evaluated, present)) {
            if (evaluator.takeBack(tensor)) {
                empty(tensor);
            }
        }
        absent(made, present).forEach(MadeConstants::empty);
    }

    /** Takes those out that are neither present nor seen by what is. */
    private static List<Tensor> absent(Set<Tensor> some, Set<Tensor> present) {
        var absent = new ArrayList<Tensor>();
        for (Tensor tensor : some) {
            if (!present.contains(tensor) && !isSeen(tensor.segment(), present)) {
                absent.add(tensor);
            }
        }
        absent.forEach(some::remove);
        return absent;
    }

    private static boolean isSeen(MemorySegment memory, Set<Tensor> present) {
        long start = memory.address();
        long end = start + memory.byteSize();
        for (Tensor each : present) {
            MemorySegment other = each.segment();
            if (other.isNative() && other.address() < end && other.address() + other.byteSize() > start) {
                return true;
            }
        }
        return false;
    }

    private static void empty(Tensor tensor) {
        MemorySegment memory = tensor.segment();
        tensor.close();
        Blocks.empty(memory);
    }
}
