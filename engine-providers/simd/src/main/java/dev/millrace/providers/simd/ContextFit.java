package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Fits a program to the node that stands for it now. Since it was kept, what it reads may have become a constant or one
 * value for two inputs, and what it makes may have lost its readers.
 */
final class ContextFit {
    private final SimdProgram program;
    private final Node node;
    private final Graph graph;
    private final List<MemorySegment> segments;

    /**
     * @param node the EPContext node
     * @param graph the graph with that node only; its inputs and outputs are what remains of the node's
     * @param segments the program's; constants that it is given are added
     */
    ContextFit(SimdProgram program, Node node, Graph graph, List<MemorySegment> segments) {
        this.program = program;
        this.node = node;
        this.graph = graph;
        this.segments = segments;
    }

    SimdProgram fit() {
        if (node.inputs().size() != program.inputs()
                || node.outputs().size() != program.outputs().size()) {
            throw EngineException.invalidGraph(
                    node.describe() + " has " + node.inputs().size() + " inputs and "
                            + node.outputs().size() + " outputs, but was compiled with " + program.inputs() + " and "
                            + program.outputs().size());
        }
        return node.inputs().equals(graph.inputs()) && node.outputs().equals(graph.outputs()) ? program : refit();
    }

    private SimdProgram refit() {
        var constants = new ArrayList<>(program.constants());
        var inputs = new ArrayList<Source>();
        for (int i = 0; i < program.inputs(); i++) {
            Value input = node.requireInput(i);
            Tensor constant = input.constant();
            if (constant == null) {
                inputs.add(Source.input(graph.inputs().indexOf(input)));
            } else {
                inputs.add(Source.constant(constants.size()));
                constants.add(constant(i, constant));
            }
        }
        var instructions = program.instructions().stream()
                .map(one ->
                        one.reading(source -> source.kind() == Source.Kind.INPUT ? inputs.get(source.index()) : source))
                .toList();
        var outputs = new ArrayList<Integer>();
        for (Value output : graph.outputs()) {
            outputs.add(program.outputs().get(node.outputs().indexOf(output)));
        }
        return new SimdProgram(program.layout(), graph.inputs().size(), constants, instructions, outputs);
    }

    private SimdProgram.Constant constant(int input, Tensor tensor) {
        if (tensor.type() != ElementType.FLOAT) {
            throw EngineException.invalidGraph(node.describe() + ": input " + input
                    + " of a part compiled for float has elements of type " + tensor.type());
        }
        segments.add(Tensor.copyOf(tensor).segment());
        return new SimdProgram.Constant(segments.size() - 1, 0, tensor.shape());
    }
}
