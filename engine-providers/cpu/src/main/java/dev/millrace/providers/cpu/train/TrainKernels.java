package dev.millrace.providers.cpu.train;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/**
 * Adagrad, Adam and Momentum. Inputs are the rate, the number of updates so far, and then groups of tensors: the weights,
 * their gradients, and one or two groups of state; outputs are the weights and the state after the step.
 */
public final class TrainKernels {
    private TrainKernels() {}

    /** One element: in goes weight, gradient and state, out comes weight and state. */
    @FunctionalInterface
    private interface Step {
        void apply(double rate, long updates, double[] element);
    }

    /** The kernel for this node of ai.onnx.preview.training, or null where there is none. */
    public static @Nullable ShapedKernel create(Node node) {
        return switch (node.op().name()) {
            case "Adagrad" -> kernel(node, 3, adagrad(node.attributes()));
            case "Adam" -> kernel(node, 4, adam(node.attributes()));
            case "Momentum" -> kernel(node, 3, momentum(node.attributes()));
            default -> null;
        };
    }

    private static Step adagrad(Attributes attributes) {
        double norm = attributes.real("norm_coefficient", 0);
        double decay = attributes.real("decay_factor", 0);
        double epsilon = attributes.real("epsilon", 1e-6f);
        return (rate, updates, x) -> {
            double gradient = norm * x[0] + x[1];
            x[2] += gradient * gradient;
            x[0] -= rate / (1 + updates * decay) * gradient / (Math.sqrt(x[2]) + epsilon);
        };
    }

    private static Step adam(Attributes attributes) {
        double norm = attributes.real("norm_coefficient", 0);
        double after = attributes.real("norm_coefficient_post", 0);
        double alpha = attributes.real("alpha", 0.9f);
        double beta = attributes.real("beta", 0.999f);
        double epsilon = attributes.real("epsilon", 1e-6f);
        return (rate, updates, x) -> {
            double gradient = norm * x[0] + x[1];
            double count = (double) updates;
            double adjusted =
                    updates > 0 ? rate * Math.sqrt(1 - Math.pow(beta, count)) / (1 - Math.pow(alpha, count)) : rate;
            x[2] = alpha * x[2] + (1 - alpha) * gradient;
            x[3] = beta * x[3] + (1 - beta) * gradient * gradient;
            x[0] = (1 - after) * (x[0] - adjusted * x[2] / (Math.sqrt(x[3]) + epsilon));
        };
    }

    private static Step momentum(Attributes attributes) {
        double norm = attributes.real("norm_coefficient", 0);
        double alpha = attributes.real("alpha");
        double beta = attributes.real("beta");
        boolean nesterov = attributes.text("mode", "standard").equals("nesterov");
        return (rate, updates, x) -> {
            double gradient = norm * x[0] + x[1];
            x[2] = alpha * x[2] + (updates > 0 ? beta : 1) * gradient;
            x[0] -= rate * (nesterov ? gradient + alpha * x[2] : x[2]);
        };
    }

    private static ShapedKernel kernel(Node node, int groups, Step step) {
        int tensors = (node.inputs().size() - 2) / groups;
        if (tensors * groups != node.inputs().size() - 2 || node.outputs().size() != tensors * (groups - 1)) {
            throw EngineException.invalidGraph(
                    node.describe() + ": " + node.inputs().size() + " inputs and "
                            + node.outputs().size() + " outputs are no " + groups + " groups of equal size");
        }
        return context -> {
            ElementType rateType = context.inputType(0);
            // gradients and what is kept may be of other types than what they belong to
            ElementType[] types = new ElementType[groups * tensors];
            for (int i = 0; i < types.length; i++) {
                types[i] = context.inputType(2 + i);
            }
            long[] counts = new long[tensors];
            for (int i = 0; i < tensors; i++) {
                counts[i] = context.inputShape(2 + i).elements();
            }
            return run -> {
                double rate = Elements.getDouble(rateType, run.input(0), 0);
                long updates = Elements.getLong(ElementType.INT64, run.input(1), 0);
                double[] element = run.scratch().doubles(0, groups);
                for (int i = 0; i < tensors; i++) {
                    for (long at = 0; at < counts[i]; at++) {
                        run.checkCancelled(at);
                        for (int group = 0; group < groups; group++) {
                            int input = group * tensors + i;
                            element[group] = Elements.getDouble(types[input], run.input(2 + input), at);
                        }
                        step.apply(rate, updates, element);
                        for (int group = 0; group < groups - 1; group++) {
                            int from = group == 0 ? 0 : group + 1;
                            ElementType type = types[from * tensors + i];
                            Elements.setDouble(type, run.output(group * tensors + i), at, element[from]);
                        }
                    }
                }
            };
        };
    }
}
