package dev.millrace.providers.simd.rule.conv;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.conv.ChannelOrder;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.StoredFloats;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import dev.millrace.providers.simd.weights.Weights;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The weights of a convolution, with the bias of each output channel if there is one. */
sealed interface ConvWeights {
    /** A function that packs weights and bias into memory. */
    interface Packing {
        void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed);
    }

    Shape shape();

    View packed(Layout layout, Packing packing);

    /**
     * Returns the weights of a node in input 1, with their bias in input 2 if it has one; null unless all are floats.
     */
    static @Nullable ConvWeights of(LoweringContext op) {
        ValueState weights = op.in(1);
        ValueState bias = op.find(2);
        if (!op.in(0).isFloat() || !weights.isFloat() || bias != null && !bias.isFloat()) {
            return null;
        }
        StoredFloats known = StoredFloats.of(op, 1);
        StoredFloats added = StoredFloats.of(op, 2);
        return known == null || bias != null && added == null
                ? new Varying(op.lowering(), op.node().name(), weights, bias)
                : new Fixed(op.environment().weights(), known, added);
    }

    /** Constant weights, which are packed once. */
    record Fixed(
            Weights store, StoredFloats weights, @Nullable StoredFloats bias) implements ConvWeights {
        @Override
        public Shape shape() {
            return weights.shape();
        }

        Fixed unbiased() {
            return new Fixed(store, weights, null);
        }

        @Override
        public View packed(Layout layout, Packing packing) {
            List<Tensor> sources = bias == null ? List.of(weights.tensor()) : List.of(weights.tensor(), bias.tensor());
            MemorySegment memory = store.packed(sources, layout, target -> {
                MemorySegment added = bias == null ? null : bias.floats();
                packing.pack(weights.floats(), added, target);
            });
            return View.dense(Storage.constant(memory), ElementType.FLOAT, Shape.of(memory.byteSize() / Float.BYTES));
        }
    }

    /** Weights that only a run knows, which each run packs. */
    record Varying(
            PartitionCompiler lowering,
            String node,
            ValueState weights,
            @Nullable ValueState bias) implements ConvWeights {
        @Override
        public Shape shape() {
            return weights.shape();
        }

        @Override
        public View packed(Layout layout, Packing packing) {
            View from = lowering.dense(weights);
            View offset = bias == null ? null : lowering.dense(bias);
            View to = lowering.allocate(ElementType.FLOAT, Shape.of(layout.bytes() / Float.BYTES));
            lowering.add(ProgramStep.of(() -> "pack " + weights.shape(), node)
                    .reading(offset == null ? List.of(from) : List.of(from, offset))
                    .writing(to)
                    .calling(memory -> {
                        MemorySegment filters = memory.segment(from);
                        MemorySegment added = offset == null ? null : memory.segment(offset);
                        MemorySegment packed = memory.segment(to);
                        return crew -> packing.pack(filters, added, packed);
                    }));
            return to;
        }
    }

    /** The weights of a depthwise convolution, in the order in which its images have the channels. */
    record Ordered(ConvWeights of, ChannelOrder order) implements ConvWeights {
        @Override
        public Shape shape() {
            return of.shape();
        }

        @Override
        public View packed(Layout layout, Packing packing) {
            // for other shapes the channels may lie in their own order
            Layout named = Layout.of(layout.name() + " channels " + order, layout.bytes());
            return of.packed(
                    named,
                    (weights, bias, packed) ->
                            packing.pack(ordered(weights), bias == null ? null : ordered(bias), packed));
        }

        private MemorySegment ordered(MemorySegment memory) {
            MemorySegment ordered = MemorySegment.ofArray(new byte[Math.toIntExact(memory.byteSize())]);
            long bytes = memory.byteSize() / order.count();
            for (int channel = 0; channel < order.count(); channel++) {
                MemorySegment.copy(memory, channel * bytes, ordered, order.of(channel) * bytes, bytes);
            }
            return ordered;
        }
    }

    /**
     * The weights of a transposed convolution, rearranged for a convolution with an output channel for each channel and
     * remainder of the strides.
     */
    record OfPhases(ConvWeights of, Phases phases) implements ConvWeights {
        @Override
        public Shape shape() {
            ConvShape conv = phases.conv();
            return Shape.of(conv.outChannels(), conv.groupChannels(), conv.taps());
        }

        @Override
        public View packed(Layout layout, Packing packing) {
            var named = new Layout(phases + ", " + layout.name(), layout.bytes(), layout.forAllShapes());
            return of.packed(
                    named,
                    (weights, bias, packed) ->
                            packing.pack(ordered(weights), bias == null ? null : repeated(bias), packed));
        }

        /**
         * Reorders weights from (channel in, channel out, tap) to (channel out, remainder, channel in, tap of the
         * convolution).
         */
        private MemorySegment ordered(MemorySegment weights) {
            ConvShape forward = phases.forward();
            ConvShape conv = phases.conv();
            int channels = conv.groupChannels();
            int ofGroup = forward.groupChannels();
            float[] numbers = weights.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
            float[] ordered = new float[Math.toIntExact(conv.weightElements())];
            for (int remainder = 0; remainder < phases.remainders(); remainder++) {
                int[] taps = phases.taps(remainder);
                for (int out = 0; out < forward.channels(); out++) {
                    int to = (out * phases.remainders() + remainder) * channels * taps.length;
                    for (int channel = 0; channel < channels; channel++) {
                        int in = out / ofGroup * channels + channel;
                        int from = (in * ofGroup + out % ofGroup) * forward.taps();
                        for (int tap : taps) {
                            ordered[to++] = tap < 0 ? 0 : numbers[from + tap];
                        }
                    }
                }
            }
            return MemorySegment.ofArray(ordered);
        }

        private MemorySegment repeated(MemorySegment bias) {
            float[] numbers = bias.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
            float[] repeated = new float[numbers.length * phases.remainders()];
            for (int i = 0; i < repeated.length; i++) {
                repeated[i] = numbers[i / phases.remainders()];
            }
            return MemorySegment.ofArray(repeated);
        }
    }
}
