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
 * The same layers with QuantizeLinear and DequantizeLinear around every activation, as exporters write them: activations
 * are uint8, weights int8 with a scale for each output channel, biases int32.
 */
final class QuantisedLayers extends FloatLayers {
    private static final int MOST = 127;
    private static final Attributes BY_OUTPUT = Attributes.of("axis", Attribute.of(0L));

    private final List<Range> ranges;

    /** @param ranges of the activations, in the order in which {@link FloatLayers} makes them */
    QuantisedLayers(List<Range> ranges) {
        this.ranges = ranges;
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

    /** The scale of what a layer reads, which is the output of a DequantizeLinear. */
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
        int perOutput = weights.length / outputs;
        byte[] bytes = new byte[weights.length];
        float[] scales = new float[outputs];
        int[] sums = new int[outputs];
        float[] sumScales = new float[outputs];
        for (int o = 0; o < outputs; o++) {
            float largest = 0;
            for (int i = 0; i < perOutput; i++) {
                largest = Math.max(largest, Math.abs(weights[o * perOutput + i]));
            }
            scales[o] = largest / MOST;
            for (int i = 0; i < perOutput; i++) {
                bytes[o * perOutput + i] = (byte) Math.round(weights[o * perOutput + i] / scales[o]);
            }
            sumScales[o] = scales[o] * scaleOf(x);
            sums[o] = Math.round(bias[o] / sumScales[o]);
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
        Value scale = model().constant(name + ".scale", Tensor.copyOf(scales, scales.length));
        Value zero = model().constant(name + ".zero", Tensor.allocate(numbers.type(), Shape.of(scales.length)));
        return model().node("DequantizeLinear", BY_OUTPUT, constant, scale, zero);
    }
}
