package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;

/**
 * Rows of keys or values that are inputs: those of the past, where there are any, then those of this call.
 *
 * @param biasInput the input added to rows of this call, from element {@code biasAt} on; -1 for none
 */
record InputRows(int input, HeadLayout now, int pastInput, int pastSteps, int biasInput, long biasAt, ElementType type)
        implements HeadSource {

    /** Returns rows without a past. */
    static InputRows of(BindContext context, int input, HeadLayout now) {
        return new InputRows(input, now, -1, 0, -1, 0, context.inputType(input));
    }

    /** Returns these rows behind those of {@code pastInput}, where that input is given. */
    InputRows after(BindContext context, int past) {
        if (!context.hasInput(past)) {
            return this;
        }
        Shape shape = context.inputShape(past);
        boolean fits = shape.rank() == 4
                && shape.dim(0) == now.batch()
                && shape.dim(1) == now.heads()
                && shape.dim(3) == now.size();
        if (!fits) {
            throw EngineException.invalidArgument(context.node().describe() + ": a past of shape " + shape + " for "
                    + now.heads() + " heads of " + now.size() + " elements, " + now.batch() + " in a batch");
        }
        int steps = ArrayExtents.toInt("steps of the past", shape.dim(2));
        return new InputRows(input, now, past, steps, biasInput, biasAt, type);
    }

    /** Returns these rows with a bias vector added, which has the elements of all heads from element {@code at} on. */
    InputRows plus(int vectorInput, long at) {
        return new InputRows(input, now, pastInput, pastSteps, vectorInput, at, type);
    }

    @Override
    public int steps() {
        return pastSteps + now.steps();
    }

    @Override
    public void readRow(LaunchContext launch, long b, long head, int step, float[] to, int at) {
        if (step < pastSteps) {
            long first = ((b * heads() + head) * pastSteps + step) * size();
            Elements.read(type, launch.input(pastInput), first, to, at, size());
            return;
        }
        Elements.read(type, launch.input(input), now.row(b, head, step - pastSteps), to, at, size());
        for (int i = 0; biasInput >= 0 && i < size(); i++) {
            to[at + i] += (float) Elements.getDouble(type, launch.input(biasInput), biasAt + head * size() + i);
        }
    }
}
