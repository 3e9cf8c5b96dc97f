package dev.millrace.bench.nets;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;

/**
 * Layers with QuantizeLinear and DequantizeLinear around every activation, as exporters write them: activations are
 * uint8, weights int8 with a scale for each output channel or one for all, biases int32.
 */
final class QuantisedLayers extends FloatLayers {
    private static final int MOST = 127;
    private static final Attributes BY_OUTPUT = Attributes.of("axis", Attribute.of(0L));

    private final List<Range> ranges;
    /** Whether all of a layer's outputs have one scale. */
    private final boolean byTensor;

    /** @param ranges the ranges of the activations, in the order in which {@link FloatLayers} creates them */
    QuantisedLayers(WeightDraw weights, List<Range> ranges) {
        super(weights);
        this.ranges = ranges;
        byTensor = weights == WeightDraw.BELL;
    }

    @Override
    Value keep(Value activation) {
        Range range = ranges.get(activations().size());
        String name = "activation" + activations().size();
        Tensor zero = Tensor.allocate(ElementType.UINT8, Shape.of());
        Elements.setLong(ElementType.UINT8, zero.segment(), 0, range.zeroPoint());
        Tensor step = Tensor.allocate(ElementType.FLOAT, Shape.of());
        Elements.setDouble(ElementType.FLOAT, step.segment(), 0, range.scale());
        Value scale = model().constant(name + ".scale", step);
        Value point = model().constant(name + ".zero", zero);
        Value bytes = model().node("QuantizeLinear", activation, scale, point);
        return super.keep(model().node("DequantizeLinear", bytes, scale, point));
    }

    /** Returns the scale of a layer's input, which is the output of a DequantizeLinear. */
    private static float scaleOf(Value x) {
        Node dequantise = x.producer();
        Value scale = dequantise == null ? null : dequantise.input(1);
        Tensor constant = scale == null ? null : scale.constant();
        if (constant == null) {
            throw new IllegalArgumentException(x + " is not dequantised");
        }
        return constant.floats()[0];
    }

    @Override
    Value[] operands(Value x, LayerWeights.Pair pair, String name) {
        float[] weights = pair.weights().floats();
        float[] bias = pair.bias().floats();
        int outputs = bias.length;
        byte[] bytes = new byte[weights.length];
        int perScale = byTensor ? weights.length : weights.length / outputs;
        float[] scales = new float[byTensor ? 1 : outputs];
        float[] sumScales = new float[scales.length];
        for (int s = 0; s < scales.length; s++) {
            float largest = 0;
            for (int i = s * perScale; i < (s + 1) * perScale; i++) {
                largest = Math.max(largest, Math.abs(weights[i]));
            }
            scales[s] = largest / MOST;
            sumScales[s] = scales[s] * scaleOf(x);
            for (int i = s * perScale; i < (s + 1) * perScale; i++) {
                bytes[i] = (byte) Math.round(weights[i] / scales[s]);
            }
        }
        int[] sums = new int[outputs];
        for (int o = 0; o < outputs; o++) {
            sums[o] = Math.round(bias[o] / sumScales[byTensor ? 0 : o]);
        }
        Tensor packed = Tensor.copyOf(bytes, pair.weights().shape().toArray());
        return new Value[] {
            x,
            dequantised(name + ".weight", packed, scales),
            dequantised(name + ".bias", Tensor.copyOf(sums, outputs), sumScales)
        };
    }

    private Value dequantised(String name, Tensor numbers, float[] scales) {
        Value constant = model().constant(name, numbers);
        long[] dims = byTensor ? new long[0] : new long[] {scales.length};
        Value scale = model().constant(name + ".scale", Tensor.copyOf(scales, dims));
        Value zero = model().constant(name + ".zero", Tensor.allocate(numbers.type(), Shape.of(dims)));
        return model().node("DequantizeLinear", byTensor ? Attributes.NONE : BY_OUTPUT, constant, scale, zero);
    }
}
