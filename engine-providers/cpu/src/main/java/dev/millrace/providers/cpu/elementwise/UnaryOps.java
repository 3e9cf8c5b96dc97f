package dev.millrace.providers.cpu.elementwise;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.op.OpName;
import org.jspecify.annotations.Nullable;

/** The functions of one element, by the name of their operator. */
public final class UnaryOps {
    private static final double SQRT_HALF = Math.sqrt(0.5);
    private static final double SQRT_TWO_OVER_PI = Math.sqrt(2 / Math.PI);

    private static final double LARGE = 0x1p30;

    private UnaryOps() {}

    /** Returns the function of the operator {@code name}, with the attributes of its node; null where there is none. */
    public static @Nullable Unary find(String name, Attributes attributes) {
        Unary plain = find(name);
        return plain != null ? plain : withParameters(name, attributes);
    }

    private static @Nullable Unary find(String name) {
        return switch (name) {
            case OpName.ABS -> abs();
            case OpName.NEG -> negate();
            case "Sign" -> Unary.of(Math::signum).onLongs(Long::signum).onUnsigned(x -> x == 0 ? 0 : 1);
            case "Ceil" -> Unary.of(Math::ceil);
            case "Floor" -> Unary.of(Math::floor);
            case "Round" -> Unary.of(Math::rint);
            case "Reciprocal" -> reciprocal();
            case OpName.SQRT -> sqrt();
            case "Exp" -> Unary.of(Math::exp);
            case "Log" -> Unary.of(Math::log);
            case "Sin" -> Unary.of(Math::sin);
            case "Cos" -> Unary.of(Math::cos);
            case "Tan" -> Unary.of(Math::tan);
            case "Asin" -> Unary.of(Math::asin);
            case "Acos" -> Unary.of(Math::acos);
            case "Atan" -> Unary.of(Math::atan);
            case "Sinh" -> Unary.of(Math::sinh);
            case "Cosh" -> Unary.of(Math::cosh);
            case OpName.TANH -> tanh();
            case "Asinh" -> Unary.of(UnaryOps::asinh);
            case "Acosh" -> Unary.of(x -> Math.log(x + Math.sqrt(x * x - 1)));
            case "Atanh" -> Unary.of(x -> 0.5 * (Math.log1p(x) - Math.log1p(-x)));
            case "Erf" -> erf();
            case "Relu" -> relu();
            case OpName.SIGMOID -> sigmoid();
            case "Softplus" -> Unary.of(UnaryOps::softplus);
            case "Softsign" -> Unary.of(x -> x / (1 + Math.abs(x)));
            case "HardSwish" -> hardSwish();
            case OpName.NOT -> Unary.ofLongs(x -> x == 0 ? 1 : 0);
            case "BitwiseNot" -> Unary.ofLongs(x -> ~x);
            default -> null;
        };
    }

    private static @Nullable Unary withParameters(String name, Attributes attributes) {
        return switch (name) {
            case "HardSigmoid" -> hardSigmoid(attributes.real("alpha", 0.2f), attributes.real("beta", 0.5f));
            case "LeakyRelu" -> leakyRelu(attributes.real("alpha", 0.01f));
            case OpName.GELU -> attributes.text("approximate", "none").equals("tanh") ? geluTanh() : gelu();
            case "Elu" -> elu(attributes.real("alpha", 1f));
            case "ThresholdedRelu" -> {
                float alpha = attributes.real("alpha", 1f);
                yield Unary.of(x -> x > alpha ? x : 0);
            }
            case "Swish" -> swish(attributes.real("alpha", 1f));
            case "Affine" -> affine(attributes.real("alpha", 1f), attributes.real("beta", 0f));
            case "ScaledTanh" -> {
                float alpha = attributes.real("alpha", 1f);
                float beta = attributes.real("beta", 1f);
                yield Unary.of(x -> alpha * Math.tanh(beta * x));
            }
            default -> null;
        };
    }

    /**
     * Returns the function that the {@code activation} attribute of a fused operator names; null where it is unknown.
     */
    public static @Nullable Unary activation(String name) {
        return switch (name) {
            case "Relu" -> relu();
            case OpName.GELU -> gelu();
            case "GeluTanh", "FastGelu" -> geluTanh();
            case OpName.TANH -> tanh();
            case OpName.SIGMOID -> sigmoid();
            case "HardSwish" -> hardSwish();
            case "Silu", "Swish" -> swish(1f);
            default -> null;
        };
    }

    private static Unary abs() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = Math.abs(x[i]);
            }
        };
        return Unary.of(floats, Math::abs).onLongs(Math::abs).onUnsigned(x -> x);
    }

    private static Unary negate() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = -x[i];
            }
        };
        return Unary.of(floats, x -> -x).onLongs(x -> -x);
    }

    private static Unary reciprocal() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = 1f / x[i];
            }
        };
        return Unary.of(floats, x -> 1 / x);
    }

    private static Unary sqrt() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = (float) Math.sqrt(x[i]);
            }
        };
        return Unary.of(floats, Math::sqrt);
    }

    private static Unary tanh() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = (float) Math.tanh(x[i]);
            }
        };
        return Unary.of(floats, Math::tanh);
    }

    private static Unary erf() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = (float) Erf.erf(x[i]);
            }
        };
        return Unary.of(floats, Erf::erf);
    }

    private static Unary relu() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = Math.max(x[i], 0f);
            }
        };
        return Unary.of(floats, x -> Math.max(x, 0)).onLongs(x -> Math.max(x, 0));
    }

    private static Unary sigmoid() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = (float) (1 / (1 + Math.exp(-x[i])));
            }
        };
        return Unary.of(floats, x -> 1 / (1 + Math.exp(-x)));
    }

    private static Unary hardSigmoid(float alpha, float beta) {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = Math.max(0f, Math.min(1f, alpha * x[i] + beta));
            }
        };
        return Unary.of(floats, x -> Math.max(0, Math.min(1, alpha * x + beta)));
    }

    private static Unary hardSwish() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = x[i] * Math.max(0f, Math.min(1f, x[i] * (1f / 6) + 0.5f));
            }
        };
        return Unary.of(floats, x -> x * Math.max(0, Math.min(1, x / 6 + 0.5)));
    }

    private static Unary leakyRelu(float alpha) {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = x[i] < 0 ? alpha * x[i] : x[i];
            }
        };
        return Unary.of(floats, x -> x < 0 ? alpha * x : x);
    }

    private static Unary affine(float alpha, float beta) {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = alpha * x[i] + beta;
            }
        };
        return Unary.of(floats, x -> alpha * x + beta);
    }

    private static Unary gelu() {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = (float) (0.5 * x[i] * (1 + Erf.erf(x[i] * SQRT_HALF)));
            }
        };
        return Unary.of(floats, x -> 0.5 * x * (1 + Erf.erf(x * SQRT_HALF)));
    }

    private static Unary geluTanh() {
        return Unary.of(x -> 0.5 * x * (1 + Math.tanh(SQRT_TWO_OVER_PI * (x + 0.044715 * x * x * x))));
    }

    private static Unary swish(float alpha) {
        Unary.Floats floats = (x, y, n) -> {
            for (int i = 0; i < n; i++) {
                y[i] = (float) (x[i] / (1 + Math.exp(-alpha * x[i])));
            }
        };
        return Unary.of(floats, x -> x / (1 + Math.exp(-alpha * x)));
    }

    private static Unary elu(float alpha) {
        return Unary.of(x -> x < 0 ? alpha * Math.expm1(x) : x);
    }

    private static double softplus(double x) {
        return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
    }

    private static double asinh(double x) {
        double size = Math.abs(x);
        // The square of a large number overflows, and the 1 added to it would be lost.
        double result = size > LARGE
                ? Math.log(size) + Math.log(2)
                : Math.log1p(size + size * size / (1 + Math.sqrt(size * size + 1)));
        return Math.copySign(result, x);
    }
}
