package dev.millrace.flink;

import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.session.Inference;
import dev.millrace.session.ValueInfo;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** The inputs and outputs that a model declares. */
record ModelSignature(List<ValueInfo> inputs, List<ValueInfo> outputs) {
    /** Reads the declarations of a file. Types of outputs that it does not declare are inferred. */
    static ModelSignature read(Path file) {
        Graph graph = Models.read(file, FileUse.BY_SIZE).graph();
        if (graph.outputs().stream().anyMatch(output -> output.described() == null)) {
            TypeInference.infer(graph);
        }
        return new ModelSignature(
                graph.inputs().stream()
                        .map(input -> new ValueInfo(input.name(), input.type(), graph.defaultOf(input) != null))
                        .toList(),
                IntStream.range(0, graph.outputs().size())
                        .mapToObj(i -> new ValueInfo(
                                graph.outputNames().get(i),
                                graph.outputs().get(i).described(),
                                false))
                        .toList());
    }

    static ModelSignature of(Inference inference) {
        return new ModelSignature(inference.inputs(), inference.outputs());
    }
}
