package dev.millrace.bench.nets;

import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Layers that compute in float. */
class FloatLayers implements Layers {
    private final ReferenceModel model = new ReferenceModel();
    private final LayerWeights weights;
    private final List<Value> activations = new ArrayList<>();

    FloatLayers(WeightDraw weights) {
        this.weights = new LayerWeights(weights);
    }

    /** The activations whose ranges a quantiser needs, in the order in which the net creates them. */
    final List<Value> activations() {
        return activations;
    }

    final ReferenceModel model() {
        return model;
    }

    @Override
    public Value image(String name, int channels, int extent) {
        return keep(model.input(name, ValueType.tensor(ElementType.FLOAT, Shape.of(1, channels, extent, extent))));
    }

    @Override
    public Value conv(Value x, Window window) {
        LayerWeights.Pair pair = weights.conv(window);
        String name = "conv" + activations.size();
        Value sum = model.node("Conv", attributes(window), operands(x, pair, name));
        if (!window.bounded()) {
            return keep(sum);
        }
        Value least = model.constant(name + ".least", Tensor.scalar(0f));
        Value most = model.constant(name + ".most", Tensor.scalar(BOUND));
        return keep(model.node("Clip", sum, least, most));
    }

    private static Attributes attributes(Window window) {
        long pad = window.extent() / 2;
        return Attributes.NONE
                .with("group", Attribute.of((long) window.group()))
                .with("kernel_shape", Attribute.of(new long[] {window.extent(), window.extent()}))
                .with("strides", Attribute.of(new long[] {window.stride(), window.stride()}))
                .with("pads", Attribute.of(new long[] {pad, pad, pad, pad}));
    }

    @Override
    public Value add(Value a, Value b) {
        return keep(model.node("Add", a, b));
    }

    @Override
    public Value average(Value x) {
        return keep(model.node("Flatten", keep(model.node("GlobalAveragePool", x))));
    }

    @Override
    public Value dense(Value x, int in, int out) {
        LayerWeights.Pair pair = weights.dense(in, out);
        Attributes transposed = Attributes.of("transB", Attribute.of(1L));
        return keep(model.node("Gemm", transposed, operands(x, pair, "dense" + activations.size())));
    }

    /** Returns the operands of a product: the activation, weights and bias. */
    Value[] operands(Value x, LayerWeights.Pair pair, String name) {
        return new Value[] {
            x, model.constant(name + ".weight", pair.weights()), model.constant(name + ".bias", pair.bias())
        };
    }

    /** Records an activation and returns the value that later layers read. */
    Value keep(Value activation) {
        activations.add(activation);
        return activation;
    }

    @Override
    public void output(String name, Value value) {
        model.output(name, value);
    }

    @Override
    public byte[] bytes() {
        return model.bytes();
    }
}
