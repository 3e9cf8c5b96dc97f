package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The same operators in double precision, one element at a time. */
final class Reference {
    private static final class Array {
        final Shape shape;
        final double[] values;

        Array(Shape shape, double[] values) {
            this.shape = shape;
            this.values = values;
        }
    }

    private static final Map<String, DoubleUnaryOperator> UNARY = Map.ofEntries(
            Map.entry("Neg", x -> -x),
            Map.entry("Abs", Math::abs),
            Map.entry("Sqrt", Math::sqrt),
            Map.entry("Reciprocal", x -> 1 / x),
            Map.entry("Relu", x -> Math.max(x, 0)),
            Map.entry("Sigmoid", x -> 1 / (1 + Math.exp(-x))),
            Map.entry("Tanh", Math::tanh),
            Map.entry("Erf", Reference::erf),
            Map.entry("Exp", Math::exp),
            Map.entry("Log", Math::log),
            Map.entry("Softplus", Reference::softplus),
            Map.entry("Gelu", x -> 0.5 * x * (1 + erf(x / Math.sqrt(2)))),
            Map.entry("GeluTanh", Reference::geluTanh),
            Map.entry("HardSwish", x -> x * Math.max(0, Math.min(1, x / 6 + 0.5))),
            Map.entry("HardSigmoid", x -> Math.max(0, Math.min(1, 0.2 * x + 0.5))),
            Map.entry("LeakyRelu", x -> x > 0 ? x : 0.01f * x),
            Map.entry("Softsign", x -> x / (1 + Math.abs(x))),
            Map.entry("Mish", x -> x * Math.tanh(softplus(x))),
            Map.entry("Elu", x -> x > 0 ? x : Math.expm1(x)),
            Map.entry("Swish", x -> x / (1 + Math.exp(-x))),
            Map.entry("QuickGelu", x -> x / (1 + Math.exp(-1.702f * x))));

    private static final Map<String, DoubleBinaryOperator> BINARY = Map.of(
            "Add", (x, y) -> x + y,
            "Sub", (x, y) -> x - y,
            "Mul", (x, y) -> x * y,
            "Div", (x, y) -> x / y,
            "Min", Math::min,
            "Max", Math::max,
            "Pow", Math::pow,
            "PRelu", (x, y) -> x > 0 ? x : x * y);

    private Reference() {}

    static Shape shape(Node node) {
        var shapes = new ArrayList<Shape>();
        for (Value input : node.inputs()) {
            if (input != null) {
                shapes.add(shapeOf(input));
            }
        }
        if (isProduct(node)) {
            Shape x = shapes.get(0);
            Shape w = shapes.get(1);
            return x.with(x.rank() - 1, w.dim(node.attributes().flag("transB", false) ? 0 : 1));
        }
        return shapes.stream().reduce(Shape.SCALAR, Shape::broadcast);
    }

    static Shape shapeOf(Value value) {
        var type = (ValueType.TensorType) Objects.requireNonNull(value.type());
        return Objects.requireNonNull(type.concreteShape());
    }

    private static boolean isProduct(Node node) {
        return List.of("MatMul", "Gemm", "Linear").contains(node.op().name());
    }

    /** The outputs of {@code graph} for these inputs. */
    static List<double[]> run(Graph graph, List<Tensor> inputs) {
        var values = new HashMap<Value, Array>();
        for (int i = 0; i < inputs.size(); i++) {
            values.put(graph.inputs().get(i), array(inputs.get(i)));
        }
        graph.constants().forEach(value -> values.put(value, array(Objects.requireNonNull(value.constant()))));
        for (Node node : graph.nodes()) {
            var arguments = new ArrayList<@Nullable Array>();
            for (Value input : node.inputs()) {
                arguments.add(input == null ? null : values.get(input));
            }
            values.put(node.requireOutput(0), apply(node, arguments));
        }
        return graph.outputs().stream()
                .map(output -> Objects.requireNonNull(values.get(output)).values)
                .toList();
    }

    private static Array array(Tensor tensor) {
        return new Array(tensor.shape(), tensor.doubles());
    }

    private static Array apply(Node node, List<@Nullable Array> inputs) {
        String name = node.op().name();
        Array first = require(inputs, 0);
        if (isProduct(node)) {
            return product(node, inputs);
        }
        if (name.equals("Clip")) {
            double low = require(inputs, 1).values[0];
            double high = require(inputs, 2).values[0];
            return unary(first, x -> Math.min(high, Math.max(low, x)));
        }
        DoubleUnaryOperator unary = UNARY.get(name);
        return unary != null
                ? unary(first, unary)
                : binary(first, require(inputs, 1), Objects.requireNonNull(BINARY.get(name)));
    }

    private static Array require(List<@Nullable Array> inputs, int index) {
        return Objects.requireNonNull(inputs.get(index));
    }

    private static Array product(Node node, List<@Nullable Array> inputs) {
        Array x = require(inputs, 0);
        Array w = require(inputs, 1);
        boolean transposed = node.attributes().flag("transB", false);
        int k = (int) x.shape.dimAt(-1);
        int n = (int) w.shape.dim(transposed ? 0 : 1);
        int m = k == 0 ? 0 : x.values.length / k;
        double[] result = new double[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int p = 0; p < k; p++) {
                    sum += x.values[i * k + p] * w.values[transposed ? j * k + p : p * n + j];
                }
                result[i * n + j] = sum * node.attributes().real("alpha", 1);
            }
        }
        var product = new Array(x.shape.with(x.shape.rank() - 1, n), result);
        double beta = node.attributes().real("beta", 1);
        if (inputs.size() > 2 && inputs.get(2) != null) {
            product = binary(product, unary(require(inputs, 2), v -> v * beta), Double::sum);
        }
        DoubleUnaryOperator activation = UNARY.get(node.attributes().text("activation", ""));
        if (activation != null) {
            product = unary(product, activation);
        }
        return inputs.size() > 3 ? binary(product, require(inputs, 3), Double::sum) : product;
    }

    private static Array unary(Array x, DoubleUnaryOperator op) {
        double[] result = new double[x.values.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = op.applyAsDouble(x.values[i]);
        }
        return new Array(x.shape, result);
    }

    private static Array binary(Array a, Array b, DoubleBinaryOperator op) {
        Shape shape = Shape.broadcast(a.shape, b.shape);
        double[] result = new double[(int) shape.elements()];
        for (int i = 0; i < result.length; i++) {
            result[i] = op.applyAsDouble(a.values[index(i, a.shape, shape)], b.values[index(i, b.shape, shape)]);
        }
        return new Array(shape, result);
    }

    private static int index(int position, Shape from, Shape to) {
        int index = 0;
        int step = 1;
        int rest = position;
        for (int axis = 1; axis <= to.rank(); axis++) {
            int extent = (int) to.dim(to.rank() - axis);
            int at = rest % extent;
            rest /= extent;
            if (axis <= from.rank()) {
                int own = (int) from.dim(from.rank() - axis);
                index += own == 1 ? 0 : at * step;
                step *= own;
            }
        }
        return index;
    }

    static double softplus(double x) {
        return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
    }

    static double geluTanh(double x) {
        return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
    }

    /** A series where it converges quickly, a continued fraction elsewhere. */
    static double erf(double x) {
        double a = Math.abs(x);
        if (Double.isNaN(x)) {
            return x;
        }
        if (a < 2.5) {
            double term = a;
            double sum = a;
            for (int n = 1; n < 100; n++) {
                term *= -a * a / n;
                sum += term / (2 * n + 1);
            }
            return Math.signum(x) * 2 / Math.sqrt(Math.PI) * sum;
        }
        double fraction = 0;
        for (int n = 60; n > 0; n--) {
            fraction = n / 2.0 / (a + fraction);
        }
        return Math.signum(x) * (1 - Math.exp(-a * a) / Math.sqrt(Math.PI) / (a + fraction));
    }
}
