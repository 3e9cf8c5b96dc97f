package dev.millrace.graph.op;

/// What one output of an operator is made of, in ONNX's own operators. It is written in place of the operator before a
/// model is optimised, so that nothing else needs to know it.
///
/// @param output its place among the outputs; it has the type of the first input
public record Definition(int output, Term.Call formula) {}
