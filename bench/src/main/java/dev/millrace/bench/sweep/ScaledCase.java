package dev.millrace.bench.sweep;

import dev.millrace.cli.conformance.BackendCase;
import dev.millrace.cli.io.InputFiles;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A case with inputs of other extents, which repeat the data of the case: what was in range stays in range. */
final class ScaledCase {
    private final BackendCase test;
    private final List<Tensor> originals = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final String operator;

    ScaledCase(BackendCase test) throws IOException {
        this.test = test;
        Graph graph = Models.read(test.model()).graph();
        operator = graph.firstNode() == null ? "" : graph.firstNode().op().name();
        Path data = test.dataSets().getFirst();
        for (int i = 0; i < graph.inputs().size(); i++) {
            Value input = graph.inputs().get(i);
            Path file = data.resolve("input_" + i + ".pb");
            if (Files.isRegularFile(file)) {
                names.add(input.name());
                originals.add(tensor(InputFiles.readPb(file, new ValueInfo(input.name(), input.type(), false))));
            }
        }
    }

    private static Tensor tensor(Datum datum) {
        if (datum instanceof Tensor tensor
                && tensor.type() != ElementType.STRING
                && !tensor.type().isPacked()) {
            return tensor;
        }
        throw EngineException.notImplemented("an input is no tensor of whole bytes");
    }

    String operator() {
        return operator;
    }

    List<Tensor> originals() {
        return originals;
    }

    /** The model with these extents declared for its inputs, and none for its outputs. */
    byte[] model(List<long[]> extents) {
        Model model = Models.read(test.model());
        Graph graph = model.graph();
        var editor = new GraphEditor(graph);
        for (Value input : graph.inputs()) {
            int index = names.indexOf(input.name());
            if (index >= 0) {
                editor.setType(input, ValueType.tensor(originals.get(index).type(), Shape.of(extents.get(index))));
            }
        }
        for (Value output : graph.outputs()) {
            if (output.described() instanceof ValueType.TensorType type && type.element() != null) {
                editor.declare(output, ValueType.tensor(type.element()));
            }
        }
        return Models.toBytes(model);
    }

    Inputs inputs(List<long[]> extents) {
        var inputs = Inputs.empty();
        for (int i = 0; i < names.size(); i++) {
            inputs.and(names.get(i), repeated(originals.get(i), extents.get(i)));
        }
        return inputs;
    }

    /** A tensor of these extents that repeats another along every axis. */
    static Tensor repeated(Tensor original, long... extents) {
        Tensor repeated = Tensor.allocate(original.type(), Shape.of(extents));
        int bytes = original.type().bits() / Byte.SIZE;
        long[] dims = original.shape().toArray();
        long[] at = new long[extents.length];
        for (long i = 0; i < repeated.elements(); i++) {
            long from = 0;
            for (int axis = 0; axis < dims.length; axis++) {
                from = from * dims[axis] + at[axis] % dims[axis];
            }
            MemorySegment.copy(original.segment(), from * bytes, repeated.segment(), i * bytes, bytes);
            for (int axis = extents.length - 1; axis >= 0 && ++at[axis] == extents[axis]; axis--) {
                at[axis] = 0;
            }
        }
        return repeated;
    }
}
