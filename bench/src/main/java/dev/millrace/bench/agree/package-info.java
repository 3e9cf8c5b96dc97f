/** The comparison of models' answers with ONNX Runtime's, on inputs that are made up from the graph. */
@NullMarked
package dev.millrace.bench.agree;

import org.jspecify.annotations.NullMarked;
