package dev.millrace.example.npu;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A program with its constants on the NPU. */
final class NpuKernel implements ShapedKernel {
    private static final long ALIGNMENT = 64;

    private final NpuProgram program;
    private final NpuWeights weights;
    private final NpuSession session;
    private final List<NpuWeights.Held> constants;

    NpuKernel(NpuProgram program, NpuWeights weights, NpuSession session) {
        this.program = program;
        this.weights = weights;
        this.session = session;
        constants = weights.hold(program.constants());
    }

    void release() {
        weights.giveBack(constants);
    }

    /** The types of the outputs, whose shapes are known where those of all inputs are. */
    @Override
    public List<@Nullable ValueType> outputs(Node node, Facts facts) {
        var inputs = new ArrayList<Shape>();
        for (int i = 0; i < program.inputs(); i++) {
            Shape shape = facts.type(i) instanceof ValueType.TensorType type ? type.concreteShape() : null;
            if (shape != null) {
                inputs.add(shape);
            }
        }
        Shape[] shapes = inputs.size() == program.inputs() ? program.shapes(inputs) : null;
        var types = new ArrayList<@Nullable ValueType>();
        for (int output : program.outputs()) {
            types.add(
                    shapes == null
                            ? ValueType.tensor(program.types().get(output))
                            : ValueType.tensor(program.types().get(output), shapes[output]));
        }
        return types;
    }

    @Override
    public Launch bind(BindContext context) {
        var inputs = new ArrayList<Shape>();
        for (int i = 0; i < program.inputs(); i++) {
            inputs.add(context.inputShape(i));
        }
        Shape[] shapes = program.shapes(inputs);
        long[] places = new long[shapes.length];
        long bytes = 0;
        for (NpuInstruction each : program.instructions()) {
            places[each.output()] = bytes;
            bytes += Math.ceilDiv(bytes(each.output(), shapes), ALIGNMENT) * ALIGNMENT;
        }
        context.workspace(Math.max(ALIGNMENT, bytes));
        return run -> run(run, shapes, places);
    }

    private long bytes(int register, Shape[] shapes) {
        return program.types().get(register).bytes(shapes[register].elements());
    }

    /** Gives the stream one piece of work: all instructions, in the memory of this run. */
    private void run(LaunchContext context, Shape[] shapes, long[] places) {
        var stream = (NpuStream) context.stream();
        session.begin(stream);
        var memory = new MemorySegment[shapes.length];
        for (int i = 0; i < program.inputs(); i++) {
            memory[i] = shapes[i].elements() == 0 ? MemorySegment.NULL : NpuMemory.of(context.inputRange(i));
        }
        for (int i = 0; i < constants.size(); i++) {
            memory[program.inputs() + i] = constants.get(i).memory();
        }
        MemorySegment workspace = NpuMemory.of(context.workspaceRange());
        for (NpuInstruction each : program.instructions()) {
            int register = each.output();
            memory[register] = workspace.asSlice(places[register], bytes(register, shapes));
        }
        for (int i = 0; i < program.outputs().size(); i++) {
            int register = program.outputs().get(i);
            if (shapes[register].elements() > 0) {
                memory[register] = NpuMemory.of(context.outputRange(i));
            }
        }
        int micros = session.performance().micros;
        stream.submit(() -> NpuCore.run(program, shapes, memory, micros));
    }
}
