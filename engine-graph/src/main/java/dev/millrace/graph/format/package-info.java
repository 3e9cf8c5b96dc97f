/** Readers and writers of the ONNX file format: models, and the tensors and sequences of test data. */
@NullMarked
package dev.millrace.graph.format;

import org.jspecify.annotations.NullMarked;
