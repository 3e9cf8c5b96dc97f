package dev.millrace.providers.cpu.recurrent;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.product.RowKernels;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A recurrent network bound to shapes. An item is one direction: the inputs of all steps are multiplied at once, then
 * the steps follow one another, all sequences of the batch together. Constant weights are transposed while binding.
 */
final class Recurrence implements Launch, RangeTask {
    /** Multiplied at a time; between them a run can be cancelled. */
    private static final int ROWS = 64;

    private static final int GATES = 0;
    private static final int INPUT_WEIGHTS = 1;
    private static final int STATE_WEIGHTS = 2;
    private static final int CANDIDATE = 4;

    private final RecurrentShape shape;
    private final RecurrentStep[] cells;
    private final ElementType type;
    private final @Nullable ElementType lengthType;
    private final boolean[] hasInput = new boolean[8];
    private final boolean[] wanted = new boolean[3];
    private final float @Nullable [][][] inputWeights;
    private final float @Nullable [][][] stateWeights;
    private final float @Nullable [][][] candidates;
    private final boolean splitBias;

    Recurrence(BindContext context, RecurrentShape shape, RecurrentStep[] cells, boolean splitBias) {
        this.shape = shape;
        this.cells = cells;
        this.type = context.inputType(0);
        for (int i = 0; i < hasInput.length; i++) {
            hasInput[i] = context.hasInput(i);
        }
        for (int i = 0; i < Math.min(3, context.outputCount()); i++) {
            wanted[i] = context.hasOutput(i);
        }
        this.lengthType = hasInput[4] ? context.inputType(4) : null;
        this.splitBias = splitBias;
        int plain = cells[0].plainGates() * shape.units();
        int all = cells[0].gates() * shape.units();
        this.inputWeights = transposed(context.constantInput(1), 0, all, shape.inputs());
        this.stateWeights = transposed(context.constantInput(2), 0, plain, shape.units());
        this.candidates = plain < all ? transposed(context.constantInput(2), plain, all, shape.units()) : null;
    }

    private float @Nullable [][][] transposed(@Nullable Tensor weights, int from, int to, int columns) {
        if (weights == null) {
            return null;
        }
        float[][][] panels = new float[cells.length][Panel.padded(columns)][to - from];
        Scratch scratch = new Scratch();
        int rows = cells[0].gates() * shape.units();
        for (int d = 0; d < panels.length; d++) {
            long base = (long) d * rows * columns;
            Panel.read(type, weights.segment(), base, from, to - from, columns, panels[d], scratch);
        }
        return panels;
    }

    @Override
    public void run(LaunchContext launch) {
        launch.parallelFor(cells.length, 1, this);
    }

    @Override
    public void run(LaunchContext launch, long from, long to, Scratch scratch) {
        for (int d = (int) from; d < to; d++) {
            direction(launch, d, scratch);
        }
    }

    private void direction(LaunchContext launch, int d, Scratch scratch) {
        int units = shape.units();
        int rows = cells[d].gates() * units;
        int plain = cells[d].plainGates() * units;
        int stride = Panel.padded(units);
        float[][] w = panel(launch, inputWeights, 1, d, 0, rows, shape.inputs(), INPUT_WEIGHTS, scratch);
        float[][] r = panel(launch, stateWeights, 2, d, 0, plain, units, STATE_WEIGHTS, scratch);
        float[][] candidate =
                plain < rows ? panel(launch, candidates, 2, d, plain, rows, units, CANDIDATE, scratch) : r;
        float[] extra = scratch.zeroedFloats(7, 3 * units);
        float[][] gates = inputs(launch, d, w, extra, scratch);
        float[] hidden = state(launch, d, 5, 5, scratch);
        float[] cell = state(launch, d, 6, 6, scratch);
        if (hasInput[7]) {
            Elements.read(type, launch.input(7), (long) d * 3 * units, extra, 0, 3 * units);
        }
        int batch = shape.batch();
        boolean backward = shape.isBackward(d);
        boolean together = lengthType == null;
        for (int step = 0; step < shape.steps(); step++) {
            launch.checkCancelled();
            int uniform = backward ? shape.steps() - 1 - step : step;
            for (int b = 0; together && b < batch; b += ROWS) {
                launch.checkCancelled();
                int rowsHere = Math.min(ROWS, batch - b);
                RowKernels.accumulate(
                        gates, uniform * batch + b, rowsHere, hidden, b * stride, stride, r, stride, plain);
            }
            for (int b = 0; b < batch; b++) {
                int length = length(launch, b);
                if (step >= length) {
                    continue;
                }
                int time = backward ? length - 1 - step : step;
                int row = time * batch + b;
                if (!together) {
                    RowKernels.accumulate(gates, row, 1, hidden, b * stride, stride, r, stride, plain);
                }
                cells[d].step(gates[row], hidden, cell, b * stride, extra, candidate, scratch);
                if (wanted[0]) {
                    Elements.write(type, launch.output(0), shape.y(time, d, b), hidden, b * stride, units);
                }
            }
        }
        finish(launch, d, hidden, cell, scratch);
    }

    private float[][] panel(
            LaunchContext launch,
            float @Nullable [][][] constant,
            int input,
            int d,
            int from,
            int to,
            int columns,
            int slot,
            Scratch scratch) {
        if (constant != null) {
            return constant[d];
        }
        float[][] panel = scratch.rows(slot, Panel.padded(columns), to - from);
        long base = (long) d * cells[d].gates() * shape.units() * columns;
        Panel.read(type, launch.input(input), base, from, to - from, columns, panel, scratch);
        return panel;
    }

    /** Biases plus inputs times their weights, a row for each step and sequence; also sets the bias of a candidate. */
    private float[][] inputs(LaunchContext launch, int d, float[][] w, float[] extra, Scratch scratch) {
        int units = shape.units();
        int rows = cells[d].gates() * units;
        int plain = cells[d].plainGates() * units;
        int count = ArrayExtents.product("steps of all sequences", shape.steps(), shape.batch());
        int stride = Panel.padded(shape.inputs());
        float[][] gates = scratch.rows(GATES, Math.max(1, count), rows);
        float[] bias = scratch.zeroedFloats(1, 2 * rows);
        if (hasInput[3]) {
            Elements.read(type, launch.input(3), (long) d * 2 * rows, bias, 0, 2 * rows);
        }
        for (int i = 0; i < rows; i++) {
            if (i >= plain && splitBias) {
                extra[i - plain] = bias[rows + i];
            } else {
                bias[i] += bias[rows + i];
            }
        }
        float[] x = scratch.zeroedFloats(0, ArrayExtents.product("inputs of all steps", count, stride));
        for (int t = 0; t < shape.steps(); t++) {
            for (int b = 0; b < shape.batch(); b++) {
                int row = t * shape.batch() + b;
                Elements.read(type, launch.input(0), shape.x(t, b), x, row * stride, shape.inputs());
                System.arraycopy(bias, 0, gates[row], 0, rows);
            }
        }
        for (int row = 0; row < count; row += ROWS) {
            launch.checkCancelled();
            RowKernels.accumulate(gates, row, Math.min(ROWS, count - row), x, row * stride, stride, w, stride, rows);
        }
        return gates;
    }

    private float[] state(LaunchContext launch, int d, int input, int slot, Scratch scratch) {
        int stride = Panel.padded(shape.units());
        float[] state = scratch.zeroedFloats(slot, shape.batch() * stride);
        for (int b = 0; b < shape.batch() && hasInput[input]; b++) {
            Elements.read(type, launch.input(input), shape.state(d, b), state, b * stride, shape.units());
        }
        return state;
    }

    private int length(LaunchContext launch, int b) {
        if (lengthType == null) {
            return shape.steps();
        }
        long length = Elements.getLong(lengthType, launch.input(4), b);
        if (length < 0 || length > shape.steps()) {
            throw EngineException.invalidArgument(
                    "sequence " + b + " has the length " + length + " where 0 to " + shape.steps() + " is expected");
        }
        return (int) length;
    }

    /** Zeroes what lies behind the ends of sequences, and writes the last states. */
    private void finish(LaunchContext launch, int d, float[] hidden, float[] cell, Scratch scratch) {
        int units = shape.units();
        int stride = Panel.padded(units);
        float[] zeros = scratch.floats(1, units);
        Arrays.fill(zeros, 0, units, 0f);
        for (int b = 0; b < shape.batch(); b++) {
            for (int t = length(launch, b); t < shape.steps() && wanted[0]; t++) {
                Elements.write(type, launch.output(0), shape.y(t, d, b), zeros, 0, units);
            }
            if (wanted[1]) {
                Elements.write(type, launch.output(1), shape.state(d, b), hidden, b * stride, units);
            }
            if (wanted[2]) {
                Elements.write(type, launch.output(2), shape.state(d, b), cell, b * stride, units);
            }
        }
    }
}
