package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a {@link SimdProgram}. */
final class SimdKernel implements ShapedKernel {
    private final SimdProgram program;
    private final List<MemorySegment> segments;
    private final ProductKernel products;

    /** A kernel for a program that {@link ProgramCheck} has passed with these segments. */
    SimdKernel(SimdProgram program, List<MemorySegment> segments, ProductKernel products) {
        this.program = program;
        this.segments = List.copyOf(segments);
        this.products = products;
    }

    SimdProgram program() {
        return program;
    }

    @Override
    public List<@Nullable ValueType> outputs(Node node, Facts facts) {
        var shapes = new ArrayList<Shape>();
        for (int i = 0; i < program.inputs(); i++) {
            Shape shape = shape(i, facts.type(i));
            if (shape == null) {
                return Collections.nCopies(program.outputs().size(), ValueType.tensor(ElementType.FLOAT));
            }
            shapes.add(shape);
        }
        var inferred = new ProgramShapes(program, shapes);
        var types = new ArrayList<@Nullable ValueType>();
        for (int instruction : program.outputs()) {
            types.add(ValueType.tensor(ElementType.FLOAT, inferred.result(instruction)));
        }
        return types;
    }

    private static @Nullable Shape shape(int input, @Nullable ValueType type) {
        if (!(type instanceof ValueType.TensorType tensor)) {
            return null;
        }
        checkType(input, tensor.element());
        return tensor.element() == null ? null : tensor.concreteShape();
    }

    private static void checkType(int input, @Nullable ElementType type) {
        if (type != null && type != ElementType.FLOAT) {
            throw EngineException.invalidArgument(
                    "input " + input + " of a part compiled for float has elements of type " + type);
        }
    }

    @Override
    public Launch bind(BindContext context) {
        if (context.inputCount() != program.inputs()
                || context.outputCount() != program.outputs().size()) {
            throw EngineException.invalidGraph(context.node().describe() + " has " + context.inputCount()
                    + " inputs and " + context.outputCount() + " outputs, but was compiled with " + program.inputs()
                    + " and " + program.outputs().size());
        }
        var shapes = new ArrayList<Shape>();
        for (int i = 0; i < program.inputs(); i++) {
            checkType(i, context.inputType(i));
            shapes.add(context.inputShape(i));
        }
        return new ProgramBinder(program, segments, products, new ProgramShapes(program, shapes)).bind(context);
    }
}
