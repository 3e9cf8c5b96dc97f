/** The ONNX file format: models, and the tensors and sequences of test data, read and written. */
@NullMarked
package dev.millrace.graph.format;

import org.jspecify.annotations.NullMarked;
