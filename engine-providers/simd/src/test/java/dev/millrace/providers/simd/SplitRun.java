package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Scratch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bound kernel with memory of its own, run again and again as a plan would. Every item is a range of its own where
 * {@code split}, the last one first, with the arrays of one of two threads; all memory starts as garbage.
 */
final class SplitRun implements BindContext, LaunchContext {
    private final Node node;
    private final List<Tensor> inputs;
    private final List<Tensor> outputs = new ArrayList<>();
    private final List<int[]> reusable = new ArrayList<>();
    private final Scratch[] scratch = {new Scratch(), new Scratch()};
    private final boolean split;
    private final Launch launch;
    private MemorySegment workspace = MemorySegment.NULL;

    SplitRun(SimdKernel kernel, Node node, List<Tensor> inputs, List<Shape> shapes, boolean split) {
        this.node = node;
        this.inputs = inputs;
        this.split = split;
        for (Shape shape : shapes) {
            Tensor output = Tensor.allocate(ElementType.FLOAT, shape);
            output.segment().fill((byte) 0x7f);
            outputs.add(output);
        }
        this.launch = kernel.bind(this);
    }

    List<float[]> run() {
        launch.run(this);
        return outputs.stream().map(Tensor::floats).toList();
    }

    Launch launch() {
        return launch;
    }

    /** Pairs of an output and the input that it may overwrite. */
    List<int[]> reusable() {
        return reusable;
    }

    long workspaceBytes() {
        return workspace.byteSize();
    }

    @Override
    public Node node() {
        return node;
    }

    @Override
    public int inputCount() {
        return inputs.size();
    }

    @Override
    public boolean hasInput(int index) {
        return true;
    }

    @Override
    public ElementType inputType(int index) {
        return inputs.get(index).type();
    }

    @Override
    public Shape inputShape(int index) {
        return inputs.get(index).shape();
    }

    @Override
    public @Nullable Tensor constantInput(int index) {
        return null;
    }

    @Override
    public Tensor requireValue(int index) {
        throw new AssertionError("it needs no values");
    }

    @Override
    public int outputCount() {
        return outputs.size();
    }

    @Override
    public boolean hasOutput(int index) {
        return true;
    }

    @Override
    public ElementType outputType(int index) {
        return ElementType.FLOAT;
    }

    @Override
    public Shape outputShape(int index) {
        return outputs.get(index).shape();
    }

    @Override
    public void alias(int output, int input) {
        throw new AssertionError("it has no aliases");
    }

    @Override
    public void mayReuse(int output, int input) {
        reusable.add(new int[] {output, input});
    }

    @Override
    public void fold(int output, Tensor value) {
        throw new AssertionError("it folds nothing");
    }

    @Override
    public void workspace(long bytes) {
        workspace = Arena.ofAuto().allocate(bytes, 64).fill((byte) 0x7f);
    }

    @Override
    public int parallelism() {
        return 2;
    }

    @Override
    public MemorySegment input(int index) {
        return inputs.get(index).segment();
    }

    @Override
    public MemorySegment output(int index) {
        return outputs.get(index).segment();
    }

    @Override
    public String[] inputStrings(int index) {
        return inputs.get(index).strings();
    }

    @Override
    public String[] outputStrings(int index) {
        return outputs.get(index).strings();
    }

    @Override
    public MemorySegment workspace() {
        return workspace;
    }

    @Override
    public void parallelFor(long items, long grain, RangeTask task) {
        if (split) {
            for (long item = items - 1; item >= 0; item--) {
                task.run(this, item, item + 1, scratch[(int) (item % 2)]);
            }
        } else {
            task.run(this, 0, items, scratch[0]);
        }
    }

    @Override
    public Scratch scratch() {
        return scratch[0];
    }

    @Override
    public void checkCancelled() {}
}
