package dev.millrace.providers.simd.rule.recurrent;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Formulas;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The activation functions of recurrent layers, as expressions of one input. */
final class RecurrentActivations {
    private final float[] alphas;
    private final float[] betas;
    private int alpha;
    private int beta;

    private RecurrentActivations(Attributes attributes) {
        alphas = orNone(attributes.reals("activation_alpha"));
        betas = orNone(attributes.reals("activation_beta"));
    }

    private static float[] orNone(float @Nullable [] numbers) {
        return numbers == null ? new float[0] : numbers;
    }

    /**
     * The functions of one direction after the other, as many for each as there are defaults.
     *
     * @param clip the bound of what goes into them; kernels clip what goes into the first two, the third does it itself
     * @return null where a name is unknown or missing
     */
    static @Nullable List<Expr> of(Attributes attributes, int directions, List<String> defaults, float clip) {
        List<String> values = attributes.texts("activations");
        int count = directions * defaults.size();
        if (values != null && values.size() < count) {
            return null;
        }
        var made = new RecurrentActivations(attributes);
        var functions = new ArrayList<Expr>();
        Expr x = Expr.input(0);
        Expr clipped = clip < Float.POSITIVE_INFINITY ? Formulas.clip(x, Expr.number(-clip), Expr.number(clip)) : x;
        for (int i = 0; i < count; i++) {
            int place = i % defaults.size();
            Expr function = made.named(values == null ? defaults.get(place) : values.get(i), place < 2 ? x : clipped);
            if (function == null) {
                return null;
            }
            functions.add(function);
        }
        return functions;
    }

    private @Nullable Expr named(String name, Expr x) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "relu" -> x.apply(FloatFunction.RELU);
            case "tanh" -> x.apply(FloatFunction.TANH);
            case "sigmoid" -> x.apply(FloatFunction.SIGMOID);
            case "affine" -> x.times(Expr.number(alpha(1))).plus(Expr.number(beta(0)));
            case "leakyrelu" -> Formulas.leakyRelu(x, Expr.number(alpha(0.01f)));
            case "thresholdedrelu" -> Formulas.thresholdedRelu(x, alpha(1));
            case "scaledtanh" -> {
                float factor = alpha(1);
                yield x.times(Expr.number(beta(1))).apply(FloatFunction.TANH).times(Expr.number(factor));
            }
            case "hardsigmoid" -> Formulas.hardSigmoid(x, alpha(0.2f), beta(0.5f));
            case "elu" -> Formulas.elu(x, alpha(1));
            case "softsign" -> Formulas.softsign(x);
            case "softplus" -> Formulas.softplus(x);
            default -> null;
        };
    }

    private float alpha(float otherwise) {
        return alpha < alphas.length ? alphas[alpha++] : otherwise;
    }

    private float beta(float otherwise) {
        return beta < betas.length ? betas[beta++] : otherwise;
    }
}
