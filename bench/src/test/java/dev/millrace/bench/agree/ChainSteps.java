package dev.millrace.bench.agree;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;

/** The steps of a chain: patterns that optimisers look for, and near misses. */
final class ChainSteps {
    /** A step, which appends to a chain, or leaves it as it is if nothing fits. */
    @FunctionalInterface
    private interface Step {
        void append(Chain chain, Value x, Shape shape);
    }

    private static final List<Step> STEPS = List.of(
            ChainSteps::activation,
            ChainSteps::activation,
            ChainSteps::arithmetic,
            ChainSteps::arithmetic,
            ChainSteps::both,
            ChainSteps::swish,
            ChainSteps::gelu,
            ChainSteps::norm,
            ChainSteps::transposed,
            ChainSteps::reshaped,
            ChainSteps::product,
            ChainSteps::product,
            ChainSteps::convolution,
            ChainSteps::convolution,
            ChainSteps::softmax,
            ChainSteps::mean,
            ChainSteps::clip,
            ChainSteps::cast,
            ChainSteps::joined,
            ChainSteps::cut,
            ChainSteps::attention);

    private static final int LARGEST = 20_000;

    private ChainSteps() {}

    /** Returns a chain of {@code length} steps over numbers of a type. */
    static Chain chain(Chance chance, int length, ElementType real) {
        var chain = new Chain(chance, real);
        Shape shape = chance.full(2, 4);
        chain.input(shape);
        if (chance.once(3)) {
            chain.input(shape);
        }
        for (int i = 0; i < length; i++) {
            Value x = chain.any();
            chance.one(STEPS).append(chain, x, chain.shape(x));
        }
        Value last = chain.any();
        chain.add(chain.shape(last), "Identity", last);
        return chain;
    }

    private static void activation(Chain c, Value x, Shape shape) {
        String op =
                c.chance().one("Relu", "Tanh", "Sigmoid", "Abs", "Neg", "Softplus", "LeakyRelu", "HardSwish", "Erf");
        c.add(shape, op, x);
    }

    private static void arithmetic(Chain c, Value x, Shape shape) {
        Value other = c.constant(c.chance().reals(ElementType.FLOAT, c.chance().under(shape), 0.5, 2));
        String op = c.chance().one("Add", "Sub", "Mul", "Div", "Max", "Min");
        boolean behind = c.chance().once(4) && !op.equals("Div");
        c.add(shape, op, behind ? other : x, behind ? x : other);
    }

    private static void both(Chain c, Value x, Shape shape) {
        Value other = c.any();
        if (c.shape(other).equals(shape)) {
            c.add(shape, c.chance().one("Add", "Mul", "Sub"), x, other);
        }
    }

    private static void swish(Chain c, Value x, Shape shape) {
        Value inner = c.chance().often() ? x : c.inner("Mul", x, c.number(1.5));
        c.add(shape, "Mul", x, c.inner("Sigmoid", inner));
    }

    private static void gelu(Chain c, Value x, Shape shape) {
        double root = c.chance().often() ? Math.sqrt(2) : 1.5;
        Value erf = c.inner("Erf", c.inner("Div", x, c.number(root)));
        Value product = c.inner("Mul", x, c.inner("Add", erf, c.number(1)));
        c.add(shape, "Mul", product, c.number(0.5));
    }

    /** Appends a layer norm or an RMS norm in elementary steps. */
    private static void norm(Chain c, Value x, Shape shape) {
        if (shape.dimAt(-1) < 4) {
            return;
        }
        boolean centred = c.chance().once(2);
        Value from = centred ? c.inner("Sub", x, c.inner("ReduceMean", x, c.constant(Chance.longs(-1)))) : x;
        Value squares = c.inner("Pow", from, c.number(2));
        Value variance = c.inner("ReduceMean", squares, c.constant(Chance.longs(-1)));
        Value root = c.inner("Sqrt", c.inner("Add", variance, c.number(1e-5)));
        Value scale = c.weights(shape.dimAt(-1));
        Value normal = c.inner("Div", from, root);
        if (c.chance().once(2)) {
            c.add(shape, "Add", c.inner("Mul", normal, scale), c.weights(shape.dimAt(-1)));
        } else {
            c.add(shape, "Mul", normal, scale);
        }
    }

    private static void transposed(Chain c, Value x, Shape shape) {
        long[] order = c.chance().permutation(shape.rank());
        long[] dims = new long[order.length];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = shape.dim((int) order[i]);
        }
        c.add(Shape.of(dims), "Transpose", Chain.ints("perm", order), x);
    }

    private static void reshaped(Chain c, Value x, Shape shape) {
        int at = c.chance().between(1, shape.rank());
        Shape matrix = Shape.of(shape.elements(0, at), shape.elements(at, shape.rank()));
        Shape target = c.chance().once(2) ? matrix : Shape.of(1, matrix.dim(0), matrix.dim(1), 1);
        c.add(target, "Reshape", x, c.constant(Chance.longs(target.toArray())));
    }

    private static void product(Chain c, Value x, Shape shape) {
        long k = shape.dimAt(-1);
        long n = c.chance().some();
        Shape result = shape.with(shape.rank() - 1, n);
        if (shape.rank() == 2 && c.chance().once(2)) {
            c.add(
                    result,
                    "Gemm",
                    Attributes.of("alpha", Attribute.of(c.chance().one(1f, 0.5f))),
                    x,
                    c.weights(k, n),
                    c.weights(n));
            return;
        }
        Value product = c.add(result, "MatMul", x, c.weights(k, n));
        if (c.chance().often()) {
            c.add(result, "Add", product, c.weights(n));
        }
    }

    /** Appends a convolution, perhaps followed by a batch norm and an activation. */
    private static void convolution(Chain c, Value x, Shape shape) {
        if (shape.rank() != 4 || shape.elements() > LARGEST) {
            return;
        }
        long in = shape.dim(1);
        boolean single = c.chance().once(3);
        long out = single ? in : c.chance().between(1, 4);
        long kernel = shape.dim(2) > 1 && shape.dim(3) > 1 ? c.chance().one(1, 3) : 1;
        Value w = c.weights(out, single ? 1 : in, kernel, kernel);
        Attributes attributes = Chain.ints("pads", kernel / 2, kernel / 2, kernel / 2, kernel / 2)
                .with("group", Attribute.of(single ? in : 1));
        Shape result = shape.with(1, out);
        Value y = c.chance().once(2)
                ? c.add(result, "Conv", attributes, x, w)
                : c.add(result, "Conv", attributes, x, w, c.weights(out));
        if (c.chance().once(2)) {
            Value variance = c.constant(c.chance().reals(ElementType.FLOAT, Shape.of(out), 0.5, 2));
            y = c.add(result, "BatchNormalization", y, c.weights(out), c.weights(out), c.weights(out), variance);
        }
        if (c.chance().once(2)) {
            c.add(result, c.chance().one("Relu", "Sigmoid", "LeakyRelu"), y);
        }
    }

    private static void softmax(Chain c, Value x, Shape shape) {
        long axis = c.chance().axis(shape.rank());
        c.add(shape, "Softmax", Attributes.of("axis", Attribute.of(axis)), x);
    }

    private static void mean(Chain c, Value x, Shape shape) {
        int axis = c.chance().between(0, shape.rank() - 1);
        String op = c.chance().one("ReduceMean", "ReduceMax", "ReduceSum");
        c.add(shape.with(axis, 1), op, x, c.constant(Chance.longs(axis)));
    }

    private static void clip(Chain c, Value x, Shape shape) {
        c.add(
                shape,
                "Clip",
                x,
                c.number(c.chance().real(-1, 0)),
                c.number(c.chance().real(0.5, 6)));
    }

    private static void cast(Chain c, Value x, Shape shape) {
        Value wide = c.inner("Cast", Attributes.of("to", Attribute.of(ElementType.DOUBLE.code())), x);
        c.add(shape, "Cast", Attributes.of("to", Attribute.of(c.real().code())), wide);
    }

    private static void joined(Chain c, Value x, Shape shape) {
        int axis = c.chance().between(0, shape.rank() - 1);
        if (shape.elements() < LARGEST) {
            c.add(shape.with(axis, 2 * shape.dim(axis)), "Concat", Attributes.of("axis", Attribute.of(axis)), x, x);
        }
    }

    private static void cut(Chain c, Value x, Shape shape) {
        int axis = c.chance().between(0, shape.rank() - 1);
        long extent = shape.dim(axis);
        if (extent > 1) {
            Value from = c.constant(Chance.longs(1));
            Value to = c.constant(Chance.longs(extent));
            c.add(shape.with(axis, extent - 1), "Slice", x, from, to, c.constant(Chance.longs(axis)));
        }
    }

    /** Appends attention of one head, whose scores may be masked. */
    private static void attention(Chain c, Value x, Shape shape) {
        if (shape.rank() != 3) {
            return;
        }
        long size = shape.dim(2);
        long inner = c.chance().some();
        Value q = c.inner("MatMul", x, c.weights(size, inner));
        Value k = c.inner("MatMul", x, c.weights(size, inner));
        Value v = c.inner("MatMul", x, c.weights(size, inner));
        Value scores = c.inner("MatMul", q, c.inner("Transpose", Chain.ints("perm", 0, 2, 1), k));
        Value scaled = c.inner("Div", scores, c.number(Math.sqrt(inner)));
        if (c.chance().once(2)) {
            Tensor mask = c.chance().reals(ElementType.FLOAT, Shape.of(shape.dim(1), shape.dim(1)), -2, 0);
            scaled = c.inner("Add", scaled, c.constant(mask));
        }
        Value shares = c.inner("Softmax", Attributes.of("axis", Attribute.of(-1)), scaled);
        c.add(shape.with(2, inner), "MatMul", shares, v);
    }
}
