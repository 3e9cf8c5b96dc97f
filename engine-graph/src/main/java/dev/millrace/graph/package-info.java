/// The exception of the engine. Packages below hold tensors, the ONNX file format, the graph and its optimiser.
@NullMarked
package dev.millrace.graph;

import org.jspecify.annotations.NullMarked;
