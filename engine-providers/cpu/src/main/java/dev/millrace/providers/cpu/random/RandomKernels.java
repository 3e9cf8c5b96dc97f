package dev.millrace.providers.cpu.random;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that draw random numbers. With a seed each run draws the same. */
public final class RandomKernels {
    private RandomKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        Attributes attributes = node.attributes();
        return switch (node.op().name()) {
            case "RandomNormal", "RandomNormalLike" -> {
                double mean = attributes.real("mean", 0);
                double scale = attributes.real("scale", 1);
                yield drawn(node, random -> mean + scale * random.nextGaussian());
            }
            case "RandomUniform", "RandomUniformLike" -> {
                double low = attributes.real("low", 0);
                double high = attributes.real("high", 1);
                yield drawn(node, random -> low + (high - low) * random.nextDouble());
            }
            case "Bernoulli" -> new Impure(context -> bernoulli(node, context));
            case "Multinomial" -> new Impure(context -> multinomial(node, context));
            case OpName.DROPOUT -> dropout(node);
            default -> null;
        };
    }

    /** A kernel whose outputs differ from run to run. */
    private record Impure(ShapedKernel kernel) implements ShapedKernel {
        @Override
        public Launch bind(BindContext context) {
            return kernel.bind(context);
        }

        @Override
        public boolean isPure() {
            return false;
        }
    }

    static MersenneTwister generator(Node node) {
        Attribute seed = node.attributes().find("seed");
        if (seed instanceof Attribute.Int number) {
            return new MersenneTwister((int) number.value());
        }
        if (seed instanceof Attribute.Float number) {
            float value = number.value();
            return new MersenneTwister(value == (int) value ? (int) value : Float.floatToIntBits(value));
        }
        return new MersenneTwister(ThreadLocalRandom.current().nextInt());
    }

    private static Kernel drawn(Node node, ToDoubleFunction<MersenneTwister> draw) {
        return new Impure(context -> {
            ElementType type = context.outputType(0);
            long count = context.outputShape(0).elements();
            return run -> {
                MersenneTwister random = generator(node);
                for (long i = 0; i < count; i++) {
                    run.checkCancelled(i);
                    Elements.setDouble(type, run.output(0), i, draw.applyAsDouble(random));
                }
            };
        });
    }

    private static Launch bernoulli(Node node, BindContext context) {
        ElementType from = context.inputType(0);
        ElementType to = context.outputType(0);
        long count = context.outputShape(0).elements();
        return run -> {
            MersenneTwister random = generator(node);
            for (long i = 0; i < count; i++) {
                run.checkCancelled(i);
                boolean one = random.nextDouble() < Elements.getDouble(from, run.input(0), i);
                Elements.setDouble(to, run.output(0), i, one ? 1 : 0);
            }
        };
    }

    /** Rows of logarithms of weights; each sample is the number of a column. */
    private static Launch multinomial(Node node, BindContext context) {
        ElementType from = context.inputType(0);
        ElementType to = context.outputType(0);
        long rows = context.inputShape(0).dim(0);
        int columns = ArrayExtents.toInt("classes", context.inputShape(0).dim(1));
        long samples = context.outputShape(0).dim(1);
        return run -> {
            MersenneTwister random = generator(node);
            double[] sums = run.scratch().doubles(0, columns);
            for (long row = 0; row < rows; row++) {
                Elements.read(from, run.input(0), row * columns, sums, 0, columns);
                cumulate(sums, columns);
                for (long sample = 0; sample < samples; sample++) {
                    run.checkCancelled(sample);
                    double drawn = random.nextDouble() * sums[columns - 1];
                    int column = 0;
                    while (column < columns - 1 && sums[column] <= drawn) {
                        column++;
                    }
                    Elements.setLong(to, run.output(0), row * samples + sample, column);
                }
            }
        };
    }

    private static void cumulate(double[] logarithms, int count) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < count; i++) {
            max = Math.max(max, logarithms[i]);
        }
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += Math.exp(logarithms[i] - max);
            logarithms[i] = sum;
        }
    }

    /** Nothing is dropped but in training mode, which only opset 12 and later can ask for. */
    private static Kernel dropout(Node node) {
        ShapedKernel kernel = context -> {
            boolean training = context.hasInput(2) && context.requireValue(2).booleans()[0];
            double ratio =
                    context.hasInput(1) && training ? context.requireValue(1).doubles()[0] : 0.5;
            return training && ratio > 0 ? drop(node, context, ratio) : KeepAll.bind(context);
        };
        return node.input(2) == null ? kernel : new Impure(kernel);
    }

    private static Launch drop(Node node, BindContext context, double ratio) {
        ElementType type = context.outputType(0);
        long count = context.outputShape(0).elements();
        boolean masks = context.hasOutput(1);
        double scale = 1 / (1 - ratio);
        return (LaunchContext run) -> {
            MersenneTwister random = generator(node);
            for (long i = 0; i < count; i++) {
                run.checkCancelled(i);
                boolean kept = random.nextDouble() >= ratio;
                double value = Elements.getDouble(type, run.input(0), i);
                Elements.setDouble(type, run.output(0), i, kept ? value * scale : 0);
                if (masks) {
                    Elements.setLong(ElementType.BOOL, run.output(1), i, kept ? 1 : 0);
                }
            }
        };
    }
}
