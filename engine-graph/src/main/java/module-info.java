/// Tensors, the ONNX file format, the graph and its optimiser.
module dev.millrace.graph {
    requires com.google.protobuf;
    requires dev.millrace.memory;
    requires static transitive org.jspecify;

    exports dev.millrace.graph.format;
    exports dev.millrace.graph.infer;
    exports dev.millrace.graph.infer.symbol;
    exports dev.millrace.graph.ir;
    exports dev.millrace.graph.lower;
    exports dev.millrace.graph.op;
    exports dev.millrace.graph.optimise.pass;
    exports dev.millrace.graph.optimise;
    exports dev.millrace.graph.quantize;
    exports dev.millrace.graph.tensor;
    exports dev.millrace.graph;
}
