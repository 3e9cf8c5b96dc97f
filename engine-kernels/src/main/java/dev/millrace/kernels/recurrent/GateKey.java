package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprInputs;
import dev.millrace.kernels.expression.ExprText;

/** Activations as parameters of a key. */
final class GateKey {
    private GateKey() {}

    static KernelKey with(KernelKey key, String name, Expr activation) {
        checkInputs(name, activation);
        return key.with(name, ExprText.print(activation));
    }

    static Expr activation(KernelKey key, String name) {
        Expr activation;
        try {
            activation = ExprText.parse(key.text(name));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException("the parameter " + name + " is wrong: " + wrong.getMessage(), wrong);
        }
        checkInputs(name, activation);
        return activation;
    }

    private static void checkInputs(String name, Expr activation) {
        ExprInputs reads = ExprInputs.of(activation);
        if (!reads.singles().isEmpty() || !reads.inputs().stream().allMatch(Expr.input(0)::equals)) {
            throw new IllegalArgumentException(
                    "the activation " + name + " reads more than its one input, or not as a float of 32 bits");
        }
    }
}
