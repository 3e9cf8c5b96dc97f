package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** Einsum in steps, each straight from the definition: for each element that is kept, the sum over all other letters. */
record EinsumKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        Shape[] shapes = new Shape[context.inputCount()];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = context.inputShape(i);
        }
        EinsumEquation equation = EinsumEquation.parse(node.attributes().text("equation"), shapes);
        EinsumPlan plan = EinsumPlan.of(equation, shapes, context.inputType(0));
        Shape result = plan.steps().getLast().terms().output();
        if (result.elements() != context.outputShape(0).elements()) {
            throw EngineException.invalidArgument(
                    node.describe() + ": the equation gives " + result + ", not " + context.outputShape(0));
        }
        context.workspace(plan.workspace());
        Launch[] steps = plan.steps().stream().map(EinsumPlan.Step::launch).toArray(Launch[]::new);
        return launch -> {
            for (Launch step : steps) {
                step.run(launch);
            }
        };
    }
}
