package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import dev.millrace.providers.simd.weights.Weights;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The weights of a convolution, with the bias of each output channel if there is one. */
record ConvWeights(Weights store, Tensor weights, @Nullable Tensor bias) {
    /** Puts weights and bias into packed memory. */
    interface Packing {
        void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed);
    }

    Shape shape() {
        return weights.shape();
    }

    ConvWeights unbiased() {
        return new ConvWeights(store, weights, null);
    }

    View packed(Layout layout, Packing packing) {
        List<Tensor> sources = bias == null ? List.of(weights) : List.of(weights, bias);
        MemorySegment memory = store.packed(sources, layout, target -> {
            MemorySegment added = bias == null ? null : store.plain(bias);
            packing.pack(store.plain(weights), added, target);
        });
        return View.dense(Storage.constant(memory), weights.type(), Shape.of(memory.byteSize() / Float.BYTES));
    }
}
