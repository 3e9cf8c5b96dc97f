package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** NegativeLogLikelihoodLoss, and SoftmaxCrossEntropyLoss, which takes the logarithm of a softmax first. */
record LossKernel(Node node, boolean softmax) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        ElementType labels = context.inputType(1);
        Shape shape = context.inputShape(0);
        Lanes lanes = Lanes.along(shape, 1);
        boolean weighted = context.hasInput(2);
        boolean probabilities = softmax && context.outputCount() > 1 && context.hasOutput(1);
        boolean ignoring = node.attributes().has("ignore_index");
        long ignored = node.attributes().integer("ignore_index", 0);
        String reduction = node.attributes().text("reduction", "mean");
        boolean each = reduction.equals("none");
        return launch -> {
            double[] lane = softmax ? launch.scratch().doubles(0, lanes.length()) : new double[0];
            double total = 0;
            double weights = 0;
            for (long i = 0; i < lanes.count(); i++) {
                launch.checkCancelled(i);
                if (softmax) {
                    lanes.read(launch, type, launch.input(0), i, lane);
                    SoftmaxKernel.logSoftmax(launch, lane, lanes.length());
                }
                if (probabilities) {
                    lanes.write(launch, type, launch.output(1), i, lane);
                }
                long label = Elements.getLong(labels, launch.input(1), i);
                double weight = 0;
                double loss = 0;
                if (!ignoring || label != ignored) {
                    int place = checked(label, lanes);
                    weight = weighted ? Elements.getDouble(type, launch.input(2), place) : 1;
                    double score = softmax
                            ? lane[place]
                            : Elements.getDouble(type, launch.input(0), lanes.start(i) + place * lanes.inner());
                    loss = -score * weight;
                }
                total += loss;
                weights += weight;
                if (each) {
                    Elements.setDouble(type, launch.output(0), i, loss);
                }
            }
            if (!each) {
                Elements.setDouble(type, launch.output(0), 0, reduction.equals("sum") ? total : total / weights);
            }
        };
    }

    private int checked(long label, Lanes lanes) {
        if (label < 0 || label >= lanes.length()) {
            throw EngineException.invalidArgument(
                    node.describe() + ": label " + label + " is outside " + lanes.length() + " classes");
        }
        return (int) label;
    }
}
