package dev.millrace.providers.simd.lower;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.program.ParallelContext;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A kernel of the fallback provider as a step of a program. */
final class FallbackStep implements BindContext {
    private final LoweringContext op;
    private final boolean[] provided;
    private long workspaceBytes;

    private FallbackStep(LoweringContext op) {
        this.op = op;
        provided = new boolean[op.outputs()];
    }

    static void lower(LoweringContext op) {
        Kernel kernel = op.environment().fallback(op.node());
        if (kernel == null) {
            throw EngineException.notImplemented(op.node().describe() + " has no kernel that can be part of a program");
        }
        if (!(kernel instanceof ShapedKernel shaped)) {
            throw new NotInProgram(op.node(), "its kernel tells the shapes of its outputs when it has run");
        }
        new FallbackStep(op).bind(shaped);
    }

    private void bind(ShapedKernel kernel) {
        Launch launch = bound(kernel);
        PartitionCompiler lowering = op.lowering();
        var reads = new ArrayList<View>();
        var inputs = new @Nullable View[op.inputs()];
        var outputs = new @Nullable View[op.outputs()];
        for (int i = 0; i < outputs.length; i++) {
            if (op.node().output(i) != null && !provided[i]) {
                outputs[i] = lowering.allocate(op.out(i));
            }
        }
        if (launch == Launch.none()) {
            return;
        }
        for (int i = 0; i < inputs.length; i++) {
            if (op.has(i)) {
                inputs[i] = lowering.dense(op.in(i));
                reads.add(inputs[i]);
            }
        }
        List<View> writes = new ArrayList<>();
        for (View output : outputs) {
            if (output != null) {
                writes.add(output);
            }
        }
        lowering.add(ProgramStep.of("cpu " + op.name(), op.node().name())
                .reading(reads)
                .writing(writes)
                .scratch(workspaceBytes)
                .calling(memory -> {
                    var context = new Context(segments(inputs, memory), segments(outputs, memory), memory.scratch());
                    return crew -> run(context, launch, crew);
                }));
    }

    private Launch bound(ShapedKernel kernel) {
        try {
            return kernel.bind(this);
        } catch (EngineException e) {
            throw e.status() == Status.CANCELLED ? e : placed(e);
        }
    }

    private void run(Context context, Launch launch, ParallelContext crew) {
        try {
            context.run(launch, crew);
        } catch (EngineException e) {
            throw e.status() == Status.CANCELLED ? e : placed(e);
        }
    }

    /** The refusal with its node, which is only one of those that the program is made of. */
    private EngineException placed(EngineException refusal) {
        String node = op.node().describe();
        return String.valueOf(refusal.getMessage()).startsWith(node) ? refusal : refusal.at(node);
    }

    private static @Nullable MemorySegment[] segments(@Nullable View[] views, RunMemory memory) {
        var segments = new @Nullable MemorySegment[views.length];
        for (int i = 0; i < views.length; i++) {
            View view = views[i];
            segments[i] = view == null ? null : memory.segment(view);
        }
        return segments;
    }

    @Override
    public Node node() {
        return op.node();
    }

    @Override
    public int inputCount() {
        return op.inputs();
    }

    @Override
    public boolean hasInput(int index) {
        return op.has(index);
    }

    @Override
    public ElementType inputType(int index) {
        return op.in(index).type();
    }

    @Override
    public Shape inputShape(int index) {
        return op.in(index).shape();
    }

    @Override
    public @Nullable Tensor constantInput(int index) {
        ValueState cell = op.find(index);
        return cell == null ? null : cell.known();
    }

    @Override
    public Tensor requireValue(int index) {
        return op.content(index);
    }

    @Override
    public int outputCount() {
        return op.outputs();
    }

    @Override
    public boolean hasOutput(int index) {
        return op.node().output(index) != null;
    }

    @Override
    public ElementType outputType(int index) {
        return op.out(index).type();
    }

    @Override
    public Shape outputShape(int index) {
        return op.out(index).shape();
    }

    @Override
    public void alias(int output, int input) {
        if (hasOutput(output)) {
            View view = op.lowering().dense(op.in(input));
            ValueState to = op.out(output);
            op.lowering().provide(to, View.dense(view.storage(), to.type(), to.shape(), view.offset()));
            provided[output] = true;
        }
    }

    @Override
    public void mayReuse(int output, int input) {
        // every result has memory of its own here
    }

    @Override
    public void fold(int output, Tensor value) {
        if (hasOutput(output)) {
            MemorySegment memory = op.environment().weights().plain(value);
            op.lowering().provide(op.out(output), View.dense(Storage.constant(memory), value.type(), value.shape()));
            provided[output] = true;
        }
    }

    @Override
    public void workspace(long bytes) {
        workspaceBytes = Math.max(workspaceBytes, bytes);
    }

    @Override
    public int parallelism() {
        return op.lowering().width();
    }

    @Override
    public void checkCancelled() {
        op.lowering().checkCancelled();
    }

    /** The memory of the launch in one run. */
    private static final class Context implements LaunchContext {
        private final @Nullable MemorySegment[] inputs;
        private final @Nullable MemorySegment[] outputs;
        private final MemorySegment workspace;
        private @Nullable LaunchContext around;

        Context(@Nullable MemorySegment[] inputs, @Nullable MemorySegment[] outputs, MemorySegment workspace) {
            this.inputs = inputs;
            this.outputs = outputs;
            this.workspace = workspace;
        }

        void run(Launch launch, ParallelContext crew) {
            around = crew.launch();
            launch.run(this);
        }

        private LaunchContext around() {
            LaunchContext context = around;
            if (context == null) {
                throw new IllegalStateException("no run is under way");
            }
            return context;
        }

        private static MemorySegment there(@Nullable MemorySegment segment) {
            if (segment == null) {
                throw EngineException.invalidArgument("an operand that is omitted has no memory");
            }
            return segment;
        }

        @Override
        public MemorySegment input(int index) {
            return there(inputs[index]);
        }

        @Override
        public MemorySegment output(int index) {
            return there(outputs[index]);
        }

        @Override
        public String[] inputStrings(int index) {
            throw new IllegalStateException("programs hold no strings");
        }

        @Override
        public String[] outputStrings(int index) {
            throw new IllegalStateException("programs hold no strings");
        }

        @Override
        public MemorySegment workspace() {
            return workspace;
        }

        @Override
        public void parallelFor(long items, long grain, RangeTask task) {
            around().parallelFor(items, grain, (launch, from, to, scratch) -> task.run(this, from, to, scratch));
        }

        @Override
        public Scratch scratch() {
            return around().scratch();
        }

        @Override
        public void checkCancelled() {
            around().checkCancelled();
        }
    }
}
