/** Tests that compare pipelines with programs over ONNX Runtime and plain Java. */
@NullMarked
package dev.millrace.bench.pipelines;

import org.jspecify.annotations.NullMarked;
